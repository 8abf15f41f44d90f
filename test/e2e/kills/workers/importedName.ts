/** How events name a row of an imported file. */
export const nameOf = (file: string, item: number): string => `${file} ${item}`;
