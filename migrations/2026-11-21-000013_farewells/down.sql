drop table farewells;
