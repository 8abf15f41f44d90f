import { emptyValue, forbiddenField, operatorNotAllowed } from "../fault.js";
import { overRelation } from "../grammar/related.js";
import type { FilterTree } from "../grammar/tree.js";
import type { Parsing } from "../parsing.js";
import { unknownField } from "../unknownField.js";
import { conditionOf } from "./condition.js";

/** Reads `has=a,b`: every one of the fields has a value. */
export function parsePresence(text: string, parsing: Parsing): FilterTree[] {
  const { table, gate, faults } = parsing;
  const place = { parameter: "has" };
  const filters: FilterTree[] = [];
  for (const name of new Set(text.split(",").map((part) => part.trim()))) {
    const field = table.fields.get(name);
    const allowed = field === undefined ? "hidden" : gate(field.root, "filter");
    if (name === "") faults.push(emptyValue("has", place));
    else if (field === undefined || allowed === "hidden") unknownField(name, place, parsing);
    else if (allowed === "forbidden") faults.push(forbiddenField(name, "filter", place));
    else if (!field.operators.includes("exists")) faults.push(operatorNotAllowed("exists", field, place));
    else {
      const filter = overRelation(field, "exists", conditionOf(field, "exists", true));
      if (filter !== undefined) filters.push(filter);
    }
  }
  return filters;
}
