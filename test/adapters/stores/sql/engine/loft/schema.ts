import type { SchemaDialect } from "../../../../../../adapters/stores/sql/engine/schemaDialect.js";

/** Indexes say their direction, and arrays have indexes of their own. */
export const loftSchema: SchemaDialect = {
  numberedColumn: "integer not null primary key autoincrement",
  unlogged: "",
  nullsFirst: " asc",
  endsIndexesWithNumber: false,
  containsIndex: (column) => ` (length(${column}))`,
  columns: (tables) => ({
    text: `select m.name as "table", c.name, c.type from sqlite_schema as m cross join pragma_table_info(m.name) as c
      where m.type = 'table' and m.name in (select value from json_each(@p1))`,
    values: [JSON.stringify(tables)],
  }),
  indexes: () => ({ text: `select m.name, m.tbl_name as "table" from sqlite_schema as m where m.type = 'index' and m.sql <> ''`, values: [] }),
  tables: (columns) => ({
    text: `select m.name as "table" from sqlite_schema as m where m.type = 'table' and
      (instr(m.name, '_restwright') > 0 or (select count(*) from pragma_table_info(m.name) as c where c.name in ${columns}) = 4)`,
    values: [],
  }),
};
