import { type Capability, createService, defineResource, type Service } from "restwright";
import { actions } from "restwright/actions";
import { memoryStorage } from "restwright/memory";
import { type OpenApiCalls, openapi } from "restwright/openapi";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { operationsOf, resolved } from "./stage.js";

function collection(name: string) {
  return defineResource(name, { schema: z.object({ id: z.int(), note: z.string() }), generated: { id: "increment" } });
}

function serviceOf(resources: readonly ReturnType<typeof collection>[], use: readonly Capability[] = []): Service & OpenApiCalls {
  const document = openapi({ info: { title: "Names", version: "1" } });
  return createService({ resources, storage: memoryStorage(), logger: false, use: [...use, document] }) as unknown as Service & OpenApiCalls;
}

describe("names of schemas", () => {
  test("a collection keeps its name, and a schema of the library beside it gets another", async () => {
    const document = await serviceOf([collection("problems"), collection("json")]).document();
    const { schemas = {} } = document.components;
    expect(schemas["Problem"]).toMatchObject({ properties: { note: { type: "string" } } });
    expect(schemas["ApiProblem"]).toMatchObject({ properties: { code: { type: "string" } } });
    expect(schemas["JsonPatch"]).toMatchObject({ properties: { note: { type: "string" } } });
    expect(schemas["ApiJsonPatch"]).toMatchObject({ type: "array" });
    const read = operationsOf(document).get("problems.read");
    expect(JSON.stringify(resolved(document, read?.responses["404"]))).toContain('"#/components/schemas/ApiProblem"');
    expect(JSON.stringify(resolved(document, read?.responses["200"]))).toContain('"#/components/schemas/Problem"');
  });

  test("two collections of which one is called as a schema of the other are refused at the start", () => {
    expect(() => serviceOf([collection("users"), collection("user-lists")])).toThrow(
      'openapi: the schemas of "users" and "user-lists" would both be called "UserList"; give one of them another name with "names".',
    );
  });

  test("all of them are told at once", () => {
    const collections = ["users", "user-lists", "tags", "tag-creates"].map(collection);
    expect(() => serviceOf(collections)).toThrow(
      'openapi: the schemas of "users" and "user-lists" would both be called "UserList", and those of "tags" and "tag-creates" would both be called "TagCreate"; give one of them another name with "names".',
    );
  });

  test("the input of an action is not mixed up with a body of its collection", async () => {
    const orders = defineResource("orders", {
      schema: z.object({ id: z.int(), note: z.string() }),
      generated: { id: "increment" },
      actions: ({ action }) => ({ patch: action({ on: "row", input: z.object({ file: z.string() }), run: () => undefined }) }),
    });
    const { components } = await serviceOf([orders as never], [actions()]).document();
    expect(components["schemas"]?.["OrderPatch"]).toMatchObject({ properties: { note: { type: "string" } } });
    expect(components["schemas"]?.["ApiOrderPatch"]).toMatchObject({ properties: { file: { type: "string" } } });
  });

  test.each(["batch", "exports", "imports", "jobs", "searches", "uploads", "webhooks"])(
    "a collection %s is described as one if the service has no such capability",
    async (name) => {
      const document = await serviceOf([collection(name)]).document();
      expect(document).not.toHaveProperty("webhooks");
      const create = operationsOf(document).get(`${name}.create`);
      expect(Object.keys(create?.responses ?? {})).toContain("201");
      expect(resolved(document, create?.requestBody)).toMatchObject({
        content: { "application/json": { schema: { $ref: expect.stringContaining("Create") } } },
      });
      const update = operationsOf(document).get(`${name}.update`);
      expect(resolved(document, update?.requestBody)).toMatchObject({
        content: { "application/merge-patch+json": { schema: { $ref: expect.stringMatching(/Patch$/) } } },
      });
    },
  );
});
