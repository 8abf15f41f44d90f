/** The values of a row, of a part of one or of changes to one, by the names of their fields. */
export type RowValues = Readonly<Record<string, unknown>>;
