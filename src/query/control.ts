/** Words of the query language that stand for themselves in a list request. */
export const controlNames = ["page", "perPage", "cursor", "count", "sort", "fields", "exclude", "include", "expand", "q", "search", "has"] as const;

export type ControlName = (typeof controlNames)[number];

/** Words that a query needs somewhere: a field of such a name is filtered by under another one. */
export const reservedNames: ReadonlySet<string> = new Set([...controlNames, "_method", "confirm", "dryRun"]);

/** Names that would reach into an object's prototype. */
export const unusableNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Words that combine the filters of a body: no field is called so there. */
export const junctions = ["and", "or", "not"] as const;
