// @long

import { PreconditionFailedError } from "restwright/client";
import { describe, expect, test } from "vitest";
import { roundsOf } from "../tools/extent.js";
import { openShop, ways } from "./shopStage.js";

const writers = 20;
const updates = roundsOf(50);

describe.each(ways)("writers of one row, %s", (way) => {
  const stage = openShop(way);

  test("count right, except for updates that failed as they were overtaken four times", { timeout: 120_000 }, async () => {
    const shop = stage().client();
    const user = await shop.users.create({ name: "Ada", email: "writers@example.com" });
    const { id } = await shop.orders.create({ customerId: user.id, total: 0, currency: "EUR", status: "open" });
    let written = 0;
    let overtaken = 0;
    const write = async () => {
      for (let count = 0; count < updates; count++) {
        await shop.orders
          .update(id, ({ total = 0 }) => ({ total: total + 1 }))
          .then(
            () => written++,
            (error: unknown) => {
              if (!(error instanceof PreconditionFailedError)) throw error;
              overtaken++;
            },
          );
      }
    };
    await Promise.all(Array.from({ length: writers }, write));
    expect(written + overtaken).toBe(writers * updates);
    expect(written).toBeGreaterThan(0);
    expect((await shop.orders.get(id)).total).toBe(written);
  });
});
