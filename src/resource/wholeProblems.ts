import type { ProblemItem } from "../problem/index.js";
import type { Resource } from "./resource.js";
import { toBodyValue } from "./rowValues.js";

/** What the rules over the whole object say of a complete row, generated values included; nothing where the schema has none. */
export async function wholeProblems(resource: Resource, row: Readonly<Record<string, unknown>>): Promise<readonly ProblemItem[]> {
  if (resource.validateWhole === undefined) return [];
  const whole: Record<string, unknown> = {};
  for (const field of resource.fields.values()) {
    const value = toBodyValue(field, row[field.name]);
    if (value !== undefined) whole[field.name] = field.toInput ? field.toInput(value) : value;
  }
  const validation = await resource.validateWhole(whole);
  return validation.ok ? [] : validation.items;
}
