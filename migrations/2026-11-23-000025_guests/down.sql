alter table accounts drop column guest;
