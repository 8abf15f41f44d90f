import { createService, defineResource, problem, type Storage, type Verifier } from "restwright";
import { actions } from "restwright/actions";
import { hooks } from "restwright/hooks";
import { z } from "zod";

/** The code of docs/guides/many-rows.md, which a test compares with the page. */
export function manyRows(storage: Storage, auth: readonly Verifier[]) {
  const bookings = defineResource("bookings", {
    schema: z.object({ id: z.int(), room: z.string(), from: z.int(), to: z.int() }).refine(({ from, to }) => from < to, { path: ["to"] }),
    generated: { id: "increment" },
    hooks: {
      async beforeWrite({ before, next, tx }) {
        if (next === undefined) return;
        const { room, from, to } = next;
        await tx.lock("room", room);
        const { data } = await tx.of(bookings).list({ where: { room, from: { lt: to }, to: { gt: from } }, perPage: 2 });
        if (data.some(({ id }) => id !== before?.id)) throw problem("ROOM_TAKEN", 409, `The room ${room} is taken then.`);
      },
    },
  });

  const loans = defineResource("loans", {
    schema: z.object({ id: z.int(), reader: z.string(), book: z.string() }),
    generated: { id: "increment" },
    hooks: {
      isolation: "serializable",
      async beforeWrite({ kind, next, tx }) {
        if (kind !== "create") return;
        if ((await tx.of(loans).count({ where: { reader: next.reader } })) >= 3) throw problem("TOO_MANY_BOOKS", 409, "Bring one back first.");
      },
    },
  });

  const accounts = defineResource("accounts", {
    schema: z.object({ id: z.string(), cents: z.int().min(0) }),
    actions: ({ action }) => ({
      pay: action({
        on: "row",
        input: z.object({ to: z.string(), cents: z.int().min(1) }),
        async run({ row, input, tx }) {
          if (row.cents < input.cents) throw problem("NOT_ENOUGH", 409, `The account has ${row.cents}.`);
          await tx.of(accounts).update(input.to, ({ cents }) => ({ cents: cents + input.cents }));
          return { cents: row.cents - input.cents };
        },
      }),
    }),
  });

  const service = createService({ resources: [bookings, loans, accounts], storage, auth, use: [hooks(), actions()] });

  return service;
}
