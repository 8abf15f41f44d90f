import type { SqlStatement } from "./executor.js";

/** A statement that the developer wrote. Drivers of SQLite must know before whether it returns rows. */
export function ownStatement(text: string, values: readonly unknown[]): SqlStatement {
  const isQuery = /^\s*(?:select|values|explain)\b/i.test(text) || (/^\s*with\b/i.test(text) && !/\b(?:insert|update|delete|merge)\b/i.test(text));
  return { text, values, writes: !isQuery, returns: isQuery || /\breturning\b/i.test(text) ? "many" : "none", isByDeveloper: true };
}
