import type { NewRow, Row, RowPatch } from "../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../src/ground/storage/outcome.js";
import type { Id, Version } from "../../../../src/ground/storage/values/scalar.js";
import { idKey, type Partition } from "./partition.js";
import type { Table } from "./table.js";

/** Inserts a shallow copy of a row, so that later changes of the caller's object do not affect it. */
export function insertRow(table: Table, partition: Partition, row: NewRow, operationId: string | undefined): Outcome<Row> {
  const first = operationId === undefined ? undefined : insertedRow(partition, operationId);
  if (first !== undefined) return { ok: true, row: first, created: false };
  const stored = withId(table, row);
  const id = stored[table.model.id] as Id;
  if (partition.get(id) !== undefined) return { ok: false, why: "conflict", fields: table.model.idParts ?? [table.model.id] };
  const fields = conflictingFields(partition, id, stored);
  if (fields !== undefined) return { ok: false, why: "conflict", fields };
  partition.put(id, stored, operationId);
  return { ok: true, row: stored, created: true };
}

/** Sets fields of a row, or all of them with `replace`, if its version is still `ifVersion`. The id never changes. */
export function updateRow(
  partition: Partition,
  id: Id,
  patch: RowPatch,
  { ifVersion, replace }: { readonly ifVersion?: Version | undefined; readonly replace?: boolean | undefined },
): Outcome<Row> {
  const current = partition.get(id);
  if (current === undefined) return { ok: false, why: "missing" };
  if (ifVersion !== undefined && current._version !== ifVersion) return { ok: false, why: "stale", current };
  const { idField } = partition;
  const row: Row = { ...(replace === true ? undefined : current), ...patch, [idField]: current[idField] };
  const fields = conflictingFields(partition, id, row, current);
  if (fields !== undefined) return { ok: false, why: "conflict", fields };
  partition.put(id, row);
  return { ok: true, row };
}

/** Removes a row if its version is still `ifVersion`. */
export function removeRow(partition: Partition, id: Id, ifVersion: Version | undefined): Outcome<Row> {
  const current = partition.get(id);
  if (current === undefined) return { ok: false, why: "missing" };
  if (ifVersion !== undefined && current._version !== ifVersion) return { ok: false, why: "stale", current };
  partition.delete(id);
  return { ok: true, row: current };
}

function insertedRow(partition: Partition, operationId: string): Row | undefined {
  const id = partition.inserted(operationId);
  return id === undefined ? undefined : partition.get(id);
}

function withId(table: Table, row: NewRow): Row {
  const { id: idField, idFrom, name } = table.model;
  const id = row[idField];
  if (id === undefined || id === null) {
    if (idFrom === "store") return { ...row, [idField]: table.nextId() };
    throw new TypeError(`A row for "${name}" has no "${idField}": the caller must assign the ids of this collection.`);
  }
  if (idFrom === "store") table.reserve(id as Id);
  return { ...row };
}

/** @param current the row before an update: keys that do not change cannot conflict */
function conflictingFields(partition: Partition, id: Id, row: Row, current?: Row): readonly string[] | undefined {
  const own = idKey(id);
  for (const index of partition.unique) {
    if (current !== undefined && index.fields.every((field) => row[field] === current[field])) continue;
    const key = index.keyOf(row);
    const holder = key === undefined ? undefined : index.holder(key);
    if (holder !== undefined && holder !== own) return index.fields;
  }
  return undefined;
}
