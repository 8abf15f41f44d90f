import { createService, defineResource, problem, type Storage, type Verifier } from "restwright";
import { actions } from "restwright/actions";
import { hooks } from "restwright/hooks";
import { z } from "zod";

/** The code of docs/guides/state-machine.md, which a test compares with the page. */
export function stateMachine(storage: Storage, auth: readonly Verifier[]) {
  const status = z.enum(["open", "shipped", "cancelled"]);
  type Status = z.infer<typeof status>;
  const following: Record<Status, readonly Status[]> = { open: ["shipped", "cancelled"], shipped: [], cancelled: [] };

  function move(from: Status, to: Status): Status {
    if (following[from].includes(to)) return to;
    throw problem("WRONG_STATUS", 409, `An order that is ${from} cannot become ${to}.`);
  }

  const orders = defineResource("orders", {
    schema: z.object({ id: z.int(), item: z.string(), status: status.default("open"), reason: z.string().optional() }),
    generated: { id: "increment" },
    hooks: {
      beforeWrite({ kind, before, next, way }) {
        if (kind === "remove" || way === "action" || next.status === (before?.status ?? "open")) return;
        throw problem("STATUS_BY_ACTION", 422, "Use POST /orders/{id}/ship or /cancel.", { errors: [{ pointer: "/status" }] });
      },
    },
    actions: ({ action }) => ({
      ship: action({ on: "row", problems: { WRONG_STATUS: 409 }, run: ({ row }) => ({ status: move(row.status, "shipped") }) }),
      cancel: action({
        on: "row",
        input: z.object({ reason: z.string().min(1).max(500) }),
        problems: { WRONG_STATUS: 409 },
        run: ({ row, input }) => ({ status: move(row.status, "cancelled"), reason: input.reason }),
      }),
    }),
  });

  const service = createService({ resources: [orders], storage, auth, use: [hooks(), actions()] });

  return service;
}
