/** A text with its values. */
export interface CatalogQuery {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** How an engine defines tables, and what it says about those that there are. */
export interface SchemaDialect {
  /** The type and constraints of a primary key that the engine numbers. The type is that of integers. */
  readonly numberedColumn: string;
  /** What `create` says of a table whose rows need not survive a crash of the database; empty if all do. */
  readonly unlogged: string;
  /** What follows each member of an index whose order has nulls first; empty if that is the default. */
  readonly nullsFirst: string;
  /** Whether the engine itself ends every index with the id, if it numbers the rows. */
  readonly endsIndexesWithNumber: boolean;
  /** What follows the table of an index on the items of arrays in a JSON column; absent if there is no such index. */
  containsIndex?(column: string): string;
  /** Selects a row if the schema exists; absent for engines without schemas. */
  findSchema?(schema: string): CatalogQuery;
  /** Selects the columns of tables as `table`, `name` and `type`. */
  columns(tables: readonly string[], schema: string | undefined): CatalogQuery;
  /** Selects the indexes that a statement created as `name`, with their `table`. */
  indexes(schema: string | undefined): CatalogQuery;
  /** Selects, as `table`, tables with all of these columns, and those whose names contain `_restwright`. @param columns texts, with commas between them and in brackets */
  tables(columns: string, schema: string | undefined): CatalogQuery;
}
