\set c random(1, 3000)
\set n ((random(0, 255) | random(0, 999)) + 123) % 1000
\set first 1 + :n / 100
\set second 1 + :n / 10 % 10
\set third 1 + :n % 10
\set by_name case when random(1, 100) <= 60 then 1 else 0 end
