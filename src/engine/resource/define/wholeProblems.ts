import type { ProblemItem } from "../../../ground/problem/index.js";
import type { Resource } from "../resource.js";
import { inputOf, toBodyValue } from "../write/rowValues.js";

/** The faults of the refinements over the whole object for a complete row, including generated values; empty if the schema has none. */
export async function wholeProblems(resource: Resource, row: Readonly<Record<string, unknown>>): Promise<readonly ProblemItem[]> {
  if (resource.validateWhole === undefined) return [];
  const whole: Record<string, unknown> = {};
  for (const field of resource.fields.values()) {
    const value = toBodyValue(field, row[field.name]);
    if (value !== undefined) whole[field.name] = inputOf(field, value);
  }
  const validation = await resource.validateWhole(whole, [], row);
  return validation.ok ? [] : validation.items;
}
