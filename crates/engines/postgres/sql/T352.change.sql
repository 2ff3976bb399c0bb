-- T352: jsonb has functions of its own.
update documents set doc = jsonb_set(doc, '{city}', to_jsonb(cast(:city as text))) where id = :id
