import fc from "fast-check";
import { expect, test } from "vitest";
import { nameInParts } from "../../../examples/shop/versions.js";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { newUser, startShop } from "./shopStage.js";

const words = fc.string({ unit: fc.constantFrom("a", "B", " ", "é", "'", "-", "😀"), minLength: 1, maxLength: 40 });
const parts = fc.record({ givenName: words.map((text) => text.replaceAll(" ", "")), familyName: words });

test("what is written in v2 is read in v2, except a name that nothing is in", () => {
  fc.assert(
    fc.property(parts, (name) => {
      expect(nameInParts.read(nameInParts.write({ name }, undefined))).toEqual({ name });
    }),
    { numRuns: propertyRuns(200) },
  );
});

test("every stored name is the same after a GET and a PUT in v2, and a filter by its parts finds it", async () => {
  const shop = startShop();
  const id = await newUser(shop, "Ada");
  await fc.assert(
    fc.asyncProperty(words, async (name) => {
      expect((await shop.v1(`PATCH /users/${id}`, { "content-type": "application/merge-patch+json" }, { name })).status).toBe(200);
      const { json } = await shop.v2(`GET /users/${id}`);
      expect((await shop.v2(`PUT /users/${id}`, {}, json)).status).toBe(200);
      expect((await shop.v1(`GET /users/${id}`)).json.name).toBe(name);
      const { givenName, familyName } = json.name;
      const filter = { "name.givenName": givenName, "name.familyName": familyName };
      const found = await shop.v2("POST /searches", {}, { collection: "users", filter });
      expect(found.json.data, JSON.stringify(json.name)).toMatchObject([{ id }]);
    }),
    { numRuns: propertyRuns(50), examples: [[" "], ["  "]] },
  );
});
