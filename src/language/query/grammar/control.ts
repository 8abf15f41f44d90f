/** Reserved parameters of a list request. */
export const controlNames = ["page", "perPage", "cursor", "count", "sort", "fields", "exclude", "include", "expand", "q", "search", "has"] as const;

/** Those of them that are lists of names: `sort=a,b`, `sort=a&sort=b` and `sort[]=a&sort[]=b` are the same. */
export const listControls = ["sort", "fields", "exclude", "include", "expand", "has"] as const;

/** `deleted` only in collections that keep deleted rows. */
export type ControlName = (typeof controlNames)[number] | "deleted";

/** Words that the query language needs: a field with such a name is filtered under another name. */
export const reservedNames: ReadonlySet<string> = new Set([...controlNames, "_method", "confirm", "dryRun"]);

/** Words that combine the filters of a body; they are not field names there. */
export const junctions = ["and", "or", "not"] as const;
