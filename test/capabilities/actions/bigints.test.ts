import { createService } from "restwright";
import { actions } from "restwright/actions";
import { hooks } from "restwright/hooks";
import { expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { describeStores } from "../../tools/storage/batchStores.js";
import { type Tools, withActions } from "./stage.js";

const tooLarge = 2n ** 63n;

describeStores(
  "bigints of the developer's code",
  ({ open }) => {
    test("have 64 bits, whatever makes them", async () => {
      const { storage, end } = await open();
      const failures: string[] = [];
      const accounts = withActions("accounts", {
        schema: z.object({
          id: z.int(),
          cents: z.bigint(),
          name: z.string(),
          made: z.bigint().optional(),
          squared: z.bigint().transform((value) => value * value),
        }),
        generated: { id: "increment" },
        stamp: { made: ({ principal }: { principal?: { id: string } }) => (principal?.id === "large" ? tooLarge : 1n) },
        hooks: {
          beforeWrite: ({ next }: { next?: { name: string } }) => (next?.name === "hook" ? { cents: -tooLarge - 1n } : { cents: tooLarge - 1n }),
        },
        actions: ({ action }: Tools) => ({ fill: action({ on: "row", run: () => ({ cents: tooLarge }) }) }),
      });
      const service = createService({
        resources: [accounts],
        storage,
        logger: false,
        onError: (error) => void failures.push(String(error)),
        use: [actions(), hooks()],
      });
      const send = clientOf(service);
      const create = (body: object) => send({ method: "POST", target: "/accounts", body: { cents: "1", name: "a", squared: "2", ...body } });

      const { status, json } = await create({});
      expect([status, json.cents]).toEqual([201, "9223372036854775807"]);
      expect((await create({ name: "hook" })).status).toBe(500);
      expect((await create({ squared: "9223372036854775807" })).status).toBe(500);
      expect((await send({ method: "POST", target: `/accounts/${json.id}/fill` })).status).toBe(500);
      await expect(service.as({ id: "large" }).of(accounts).create({ cents: 1n, name: "a", squared: 2n })).rejects.toThrow(
        'accounts: the value of "made" has more than 64 bits.',
      );
      expect(failures).toEqual(
        ["cents", "squared", "cents"].map((name) => `ConfigurationError: accounts: the value of "${name}" has more than 64 bits.`),
      );
      expect((await send({ target: "/accounts" })).json.meta.total).toBe(1);
      await service.close();
      await end();
    });
  },
  ({ hasTransactions }) => hasTransactions,
);
