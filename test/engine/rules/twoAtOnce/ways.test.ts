// @long

import { afterAll, beforeAll, expect, test } from "vitest";
import { describeStores } from "../../../tools/storage/batchStores.js";
import { openTheatre, waysOut } from "./stage.js";

type Theatre = Awaited<ReturnType<typeof openTheatre>>;

const shows = Array.from({ length: 20 }, (_, index) => index + 1);
const thrice = <R>(run: () => Promise<R>): Promise<R[]> => Promise.all([run(), run(), run()]);

for (const [name, wayOut] of waysOut) {
  describeStores(
    `at most one seat a show, by ${name}`,
    ({ open }) => {
      let theatre: Theatre;
      beforeAll(async () => {
        theatre = await openTheatre(wayOut, open);
      });
      afterAll(() => theatre.close());

      test("holds for three writes at once, by a hook", async () => {
        for (const show of shows) {
          const statuses = await thrice(() => theatre.bySeat(show));
          expect(statuses.sort()).toEqual([201, 409, 409]);
          expect(await theatre.count("seats", show)).toBe(1);
        }
      });

      test("holds for three calls at once of an action of the collection", async () => {
        for (const show of shows) {
          const statuses = await thrice(() => theatre.byAction(show));
          expect(statuses.sort()).toEqual([204, 409, 409]);
          expect(await theatre.count("chairs", show)).toBe(1);
        }
      });

      test("holds for three transactions of code at once", async () => {
        for (const show of shows) {
          await thrice(() => theatre.byCode(show));
          expect(await theatre.count("places", show)).toBe(1);
        }
      });

      test("holds whichever ways the writes come", async () => {
        const both = { items: [{ showId: 101 }, { showId: 102 }] };
        const headers = { prefer: "handling=strict" };
        const results = await Promise.all([
          theatre.send({ method: "POST", target: "/seats/batch", body: { items: [{ showId: 101 }, { showId: 102 }, { showId: 101 }] } }),
          theatre.send({ method: "POST", target: "/seats/batch", body: both, headers }),
          theatre.send({ method: "POST", target: "/seats/import", body: "showId\n101\n102\n", headers: { "content-type": "text/csv" } }),
          theatre.bySeat(101),
          theatre.bySeat(102),
        ]);
        expect(results.every((result) => (typeof result === "number" ? result : result.status) < 500)).toBe(true);
        expect([await theatre.count("seats", 101), await theatre.count("seats", 102)]).toEqual([1, 1]);
      });
    },
    ({ name: store, hasTransactions }) => hasTransactions && !store.includes("required methods"),
  );
}
