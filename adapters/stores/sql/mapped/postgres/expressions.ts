/** Expressions of columns that several types have. */
export const unchanged = (column: string) => column;
export const asText = (column: string) => `${column}::text`;
/** The order of code points, for what is a text to clients only. */
export const inCodePoints = (column: string) => `(${column}::text collate "C")`;
