-- T652: MariaDB has no operator for a field.
select json_value(doc, '$.city') from documents where id = :id
