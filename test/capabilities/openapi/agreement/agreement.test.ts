// @long

import { readFile } from "node:fs/promises";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { createService, defineResource, type Service } from "restwright";
import { memoryStorage } from "restwright/memory";
import { type OpenApiCalls, openapi } from "restwright/openapi";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Difference, differences, isExpected, tableOf } from "./differences.js";
import { types } from "./types.js";
import { values } from "./values.js";

const collectionOf = (index: number) => `things-${index}`;
const resources = Object.values(types).map((type, index) =>
  defineResource(collectionOf(index), { schema: z.object({ id: z.int(), field: type }), generated: { id: "increment" } }),
);
const names = Object.fromEntries(resources.map(({ name }, index) => [name, `Thing${index}`]));
const use = [openapi({ info: { title: "Agreement", version: "1" }, names })];
const service = createService({ resources, storage: memoryStorage(), logger: false, use }) as unknown as Service & OpenApiCalls;
const ajv = new Ajv2020({ strict: false, validateFormats: true });
formats.default(ajv);
ajv.addSchema({ $id: "document", ...(await service.document()) });

const schemaOf = (name: string): ValidateFunction => ajv.compile({ $ref: `document#/components/schemas/${name}` });

/** What the service and the document say of one value of one type; `undefined` if they agree. */
async function takerOf(
  index: number,
  isValid: ValidateFunction,
  isAnswer: ValidateFunction,
  value: unknown,
): Promise<Difference["taker"] | undefined> {
  const body = JSON.stringify({ field: value });
  const headers = { "content-type": "application/json" };
  const response = await service.fetch(new Request(`http://host.test/${collectionOf(index)}`, { method: "POST", headers, body }));
  const answer: unknown = await response.json();
  expect(response.status, JSON.stringify(answer)).toBeLessThan(500);
  const isTaken = response.status === 201;
  if (isTaken !== isValid(JSON.parse(body))) return isTaken ? "service" : "document";
  if (isTaken) expect(isAnswer(answer), `${JSON.stringify(answer)}: ${JSON.stringify(isAnswer.errors)}`).toBe(true);
  return undefined;
}

test.each(Object.keys(types).map((name, index) => [name, index] as const))(
  "The document and the service take the same values of %s, except for those that the documentation names",
  async (name, index) => {
    const [isValid, isAnswer] = [schemaOf(`Thing${index}Create`), schemaOf(`Thing${index}`)];
    const found: string[] = [];
    const expected: string[] = [];
    for (const value of values) {
      const taker = await takerOf(index, isValid, isAnswer, value);
      const known = differences.find((each) => each.types.includes(name) && isExpected(each, value));
      if (taker !== undefined) found.push(`${taker} takes ${JSON.stringify(value)}`);
      if (known !== undefined) expected.push(`${known.taker} takes ${JSON.stringify(value)}`);
    }
    expect(found).toEqual(expected);
  },
);

test("The documentation shows the table of differences", async () => {
  const page = await readFile(new URL("../../../../docs/openapi.md", import.meta.url), "utf8");
  expect(page).toContain(tableOf(differences));
  const known = new Set(Object.keys(types));
  expect(differences.flatMap((each) => each.types).filter((name) => !known.has(name))).toEqual([]);
});
