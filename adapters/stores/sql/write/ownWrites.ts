import { isUniqueViolation } from "../engine/errors.js";
import { run, runGuarded } from "../engine/session.js";
import type { OwnTable } from "../schema/table.js";
import { insertEnding } from "./insertEnding.js";
import { insertMany } from "./many/insertMany.js";
import { removeRows, touchedKeys, updateRows } from "./rowStatements.js";
import { insertOne, removeOne, updateOne } from "./singleRow.js";
import type { TableWrites } from "./tableWrites.js";
import { updateEach } from "./updateEach.js";

/** Writes to a table that this library created. */
export function ownWrites(table: OwnTable): TableWrites {
  return {
    insert(session, row, tenant, { operationId, ends }) {
      const target = { session, table, tenant };
      if (ends !== undefined) return insertEnding(target, row, ends);
      return session.writes !== undefined && operationId === undefined ? session.writes.insert(target, row) : insertOne(target, row, operationId);
    },
    insertMany: (session, rows, tenant, options) => insertMany({ session, table, tenant }, rows, options),
    update(session, id, patch, tenant, options) {
      const target = { session, table, tenant };
      return session.writes === undefined ? updateOne(target, id, patch, options) : session.writes.update(target, id, patch, options);
    },
    updateEach: (session, updates, tenant) => updateEach({ session, table, tenant }, updates),
    async updateMany(session, filter, patch, tenant) {
      const statement = updateRows(table, filter, patch, tenant);
      const keys = touchedKeys(table, patch, false);
      try {
        return (await (keys.length > 0 ? runGuarded(session, statement) : run(session, statement))).affected;
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        const fields = keys.flatMap((key) => key.fields).join(", ");
        throw new Error(`Cannot set ${fields} to one value in many rows of "${table.model.name}": ${fields} is a unique key.`, { cause: error });
      }
    },
    remove: (session, id, tenant, ifVersion) => removeOne({ session, table, tenant }, id, ifVersion),
    removeMany: async (session, filter, tenant) => (await run(session, removeRows(table, filter, tenant))).affected,
  };
}
