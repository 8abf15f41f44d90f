import type { ProblemItem } from "../problem/index.js";
import { quoted } from "../query/fault.js";
import type { Resource, ResourceField } from "../resource/resource.js";
import type { Gate } from "../schema/access.js";
import type { ImportTarget } from "./columns.js";
import type { ImportSettings } from "./settings.js";

/** The fields of a collection that a file may set, for one principal. */
export function importTargetOf(resource: Resource, { mode, key }: Pick<ImportSettings, "mode" | "key">, gate: Gate): ImportTarget {
  const settable = [...resource.fields.values()].filter(
    (field) => field.name === key || (!isFixed(resource, field) && gate(field, "write") === "allowed"),
  );
  const fields = new Map(settable.map((field) => [field.name, field]));
  const needed = mode === "update" ? [] : settable.filter((field) => isRequired(field)).map(({ name }) => name);
  return {
    fields,
    required: [...new Set([...(key === undefined ? [] : [key]), ...needed])],
    isPartial: mode === "update",
    refuse: (name) => refusal(resource, name, gate),
  };
}

/** Whether only the server sets the field, also where a file is imported. */
export function isFixed(resource: Resource, { name, generator, readOnly }: ResourceField): boolean {
  return readOnly || (generator !== undefined && resource.import?.generated.has(name) !== true);
}

function isRequired({ optional, hasDefault, generator }: ResourceField): boolean {
  return !optional && !hasDefault && generator === undefined;
}

/** Columns of members are refused as their field is. */
function refusal(resource: Resource, name: string, gate: Gate): Pick<ProblemItem, "code" | "detail"> | undefined {
  const field = resource.fields.get(name.split(".", 1)[0] ?? name);
  if (field === undefined || (gate(field, "write") === "hidden" && gate(field, "read") !== "allowed")) return undefined;
  if (isFixed(resource, field)) {
    const detail = `The column ${quoted(name)} is set by the server; leave it out, or send "unknownColumns=ignore".`;
    return { code: "UNKNOWN_COLUMN", detail };
  }
  return gate(field, "write") === "forbidden" ? { code: "FORBIDDEN_FIELD", detail: `You may not write "${field.name}".` } : undefined;
}
