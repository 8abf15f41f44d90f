import { createService, defineResource, extend, type RuleTransaction, type Storage, type Verifier } from "restwright";
import { type DoneWrite, type HookCall, hooks } from "restwright/hooks";
import { z } from "zod";

/** The code of docs/guides/audit-log.md, which a test compares with the page. */
export function auditedRows(storage: Storage, auth: readonly Verifier[]) {
  const kinds = z.enum(["create", "update", "remove"]);
  const auditLog = defineResource("auditLog", {
    schema: z.object({ id: z.string(), at: z.date(), who: z.string(), kind: kinds, collection: z.string(), rowId: z.int() }),
    generated: { id: "ulid", at: "createdAt" },
    operations: ["list", "read"],
    index: [["collection", "rowId"]],
  });

  type Written = DoneWrite<{ readonly id: number }> & HookCall & { readonly tx: RuleTransaction };

  const audited = (collection: string) => ({
    async afterWrite({ kind, row, principal, tx }: Written) {
      await tx.of(auditLog).create({ who: principal?.id ?? "system", kind, collection, rowId: row.id });
    },
  });

  const users = defineResource("users", { schema: z.object({ id: z.int(), email: z.email() }), generated: { id: "increment" }, unique: ["email"] });
  const orders = defineResource("orders", { schema: z.object({ id: z.int(), total: z.number() }), generated: { id: "increment" } });

  const service = createService({
    resources: [auditLog, extend(users, { hooks: audited("users") }), extend(orders, { hooks: audited("orders") })],
    storage,
    auth,
    use: [hooks()],
  });

  return { service, users, orders };
}
