/** Expressions of columns that several types have. */
export const unchanged = (column: string) => column;
export const isNumber = (column: string) => `typeof(${column}) in ('integer', 'real')`;
/** Texts and blobs are above all numbers. */
export const aboveAllNumbers = (column: string) => `${column} >= -9e999`;
