-- T352: a field is changed by merging a document that has it alone.
update documents set doc = json_merge_patch(doc, json_object('city', :city)) where id = :id
