import type { SchemaDialect } from "../schemaDialect.js";

/** How SQLite defines tables, and what it says about them. */
export const sqliteSchema: SchemaDialect = {
  numberedColumn: "integer primary key autoincrement",
  unlogged: "",
  // The default, and there is no syntax for it in an index.
  nullsFirst: "",
  // Every index ends with the row id.
  endsIndexesWithNumber: true,
  columns: (tables) => ({
    text: `select n.value as "table", c.name, c.type from json_each(?) n join sqlite_master m on m.type = 'table' and m.name = n.value collate nocase
         join pragma_table_info(m.name) c`,
    values: [JSON.stringify(tables)],
  }),
  indexes: () => ({ text: `select name, tbl_name as "table" from sqlite_master where type = 'index' and sql is not null`, values: [] }),
  tables: (columns) => ({
    text: `select m.name as "table" from sqlite_master m where m.type = 'table' and
         (m.name like '%\\_restwright%' escape '\\' or (select count(*) from pragma_table_info(m.name) c where c.name in ${columns}) = 4)`,
    values: [],
  }),
};
