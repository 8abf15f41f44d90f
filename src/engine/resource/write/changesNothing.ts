import { isDeepStrictEqual } from "node:util";
import type { Row } from "../../../ground/storage/collection.js";
import { microsOf } from "../../../ground/storage/values/exactDate.js";
import { floorTo } from "../../../language/schema/dateTimeForm.js";
import type { FieldModel } from "../../../language/schema/field.js";
import type { Resource } from "../resource.js";

/**
 * Whether a patch leaves all fields as they are. Fields that the server sets by itself do not count, and no write changes the id.
 *
 * @param isReplacement a field that the values do not have becomes null
 * @param hasStamps whether the values contain those of stamps, which are not part of the request
 */
export function changesNothing(
  { fields, id }: Pick<Resource, "fields" | "id">,
  row: Row,
  values: Readonly<Record<string, unknown>>,
  isReplacement = false,
  hasStamps = false,
): boolean {
  for (const name of isReplacement ? fields.keys() : Object.keys(values)) {
    const field = fields.get(name);
    if (field === undefined || field === id || field.generator === "updatedAt" || (hasStamps && field.isStamped)) continue;
    const [stored, next] = [row[name] ?? null, values[name] ?? null];
    if (stored !== next && !isShownInstant(field, stored, next) && !isDeepStrictEqual(stored, next)) return false;
  }
  return true;
}

/** Puts stored instants back into values that are the same in the form of their fields: a column of the developer may hold finer ones, which stay. */
export function keepFinerInstants({ fields }: Pick<Resource, "fields">, row: Row, values: Record<string, unknown>): void {
  for (const field of fields.values()) {
    const { name, dateTime } = field;
    if (dateTime !== undefined && dateTime.unitMs > 1 && isShownInstant(field, row[name], values[name])) values[name] = row[name];
  }
}

/** Whether a date is the stored one as clients see it, without its microseconds, and in the form of its field. */
function isShownInstant({ dateTime }: FieldModel, stored: unknown, next: unknown): boolean {
  return stored instanceof Date && next instanceof Date && microsOf(next) === undefined && floorTo(dateTime, stored).getTime() === next.getTime();
}
