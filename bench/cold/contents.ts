/** What a server has in it: the framework alone, zod imported beside it, restwright with a collection in memory. */
export const contents = ["bare", "zod", "restwright"] as const;

export type Content = (typeof contents)[number];
