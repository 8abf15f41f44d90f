import { type Capability, ConfigurationError, defineResource, ProblemError } from "restwright";
import { z } from "zod";

/** Who changed which row, and when. Clients can read it; only the service writes it. */
export const audits = defineResource("audits", {
  schema: z.object({
    id: z.string(),
    at: z.date(),
    actor: z.string(),
    kind: z.enum(["create", "update", "remove"]),
    collection: z.string(),
    rowId: z.string(),
  }),
  generated: { id: "ulid", at: "createdAt" },
  index: [["collection", "rowId"]],
  operations: ["list", "read"],
});

/** Writes a row of `audits` for every row that is written in any collection, in the transaction of the write: there is an entry if and only if the write committed. */
export function auditLog(): Capability {
  return {
    name: "auditLog",
    open({ resources, newRow }) {
      if (!resources.has(audits.name)) throw new ConfigurationError(`auditLog() needs the resource "audits": add it to "resources".`);
      return {
        rowEvents: {
          concerns: (collection) => collection !== audits.name,
          async join(tx, collection, writes, call) {
            const id = resources.get(collection)?.resource.id.name ?? "id";
            for (const { kind, row } of writes) {
              const entry = newRow(audits.name, { actor: call.actor ?? "", kind, collection, rowId: String(row[id]) });
              const outcome = await tx.collection(audits.model).insert(entry, call);
              if (!outcome.ok) throw new ProblemError("INTERNAL", "The audit log could not be written.");
            }
          },
        },
      };
    },
  };
}
