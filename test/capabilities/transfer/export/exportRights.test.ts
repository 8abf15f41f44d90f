import { type AuthorizationQuestion, defineResource, type Principal } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";
import { rowsOf } from "./exportStage.js";

const isAdmin = ({ id }: Principal) => id === "admin";

const staff = defineResource("staff", {
  schema: z.object({ id: z.int(), name: z.string(), salary: z.number().optional(), ssn: z.string().optional(), password: z.string().optional() }),
  generated: { id: "increment" },
  access: {
    salary: { read: isAdmin, onForbidden: "403" },
    ssn: { read: isAdmin, onForbidden: "hide" },
    password: { read: false },
  },
});

const person = { name: "Ada", salary: 10, ssn: "1-2-3", password: "secret" };

async function setUp(options: Partial<FullServiceOptions> = {}) {
  const auth = [bearer((token) => ({ id: token, tenant: token === "stranger" ? "other" : "own" }))];
  const send = clientOf(fullService({ resources: [staff], storage: memoryStorage(), auth, ...options }));
  const as = (who: string | undefined, target: string) => send({ target, headers: who === undefined ? {} : { authorization: `Bearer ${who}` } });
  await send({ method: "POST", target: "/staff", body: person, headers: { authorization: "Bearer admin" } });
  return as;
}

describe("an export", () => {
  test.each([
    ["admin", ["id", "name", "salary", "ssn"]],
    ["clerk", ["id", "name"]],
  ])("shows to %s what that one may read", async (who, names) => {
    const as = await setUp();
    expect((await as(who, "/staff/export")).text.split("\r\n")[0]).toBe(names.join(","));
    expect(rowsOf((await as(who, "/staff/export?format=ndjson")).text).map(Object.keys)).toEqual([names]);
  });

  test("holds rows of the caller's tenant alone", async () => {
    const as = await setUp();
    expect((await as("stranger", "/staff/export?format=json")).json).toEqual([]);
  });

  const authorize = ({ principal, action }: AuthorizationQuestion) => {
    if (isAdmin(principal)) return true;
    if (principal.id === "narrow") return { fields: ["id", "salary"] };
    if (principal.id === "hidden") return { hide: true } as const;
    return action !== "list";
  };

  test.each([
    [undefined, ""],
    ["clerk", ""],
    ["hidden", ""],
    ["narrow", "?fields=name"],
    ["narrow", "?name=Ada"],
    ["narrow", "?sort=name"],
    ["narrow", "?fields=salary"],
    ["narrow", "?fields=ssn"],
    ["narrow", "?fields=password"],
    ["narrow", "?salary=10"],
    ["narrow", "?ssn=1"],
    ["narrow", ""],
    ["admin", "?ssn=1-2-3&fields=ssn"],
  ])("is refused where the list is: %s, %s", async (who, query) => {
    const as = await setUp({ authorize });
    const [list, file] = [await as(who, `/staff${query}`), await as(who, `/staff/export${query}${query === "" ? "?" : "&"}format=json`)];
    expect(file.status).toBe(list.status);
    if (list.status === 200) expect(file.json).toEqual(list.json.data);
    else expect([file.json.code, file.json.errors]).toEqual([list.json.code, list.json.errors]);
  });

  test("is refused where nothing is left to show", async () => {
    const as = await setUp({ authorize: () => ({ fields: [] }) });
    const { status, json } = await as("clerk", "/staff/export");
    expect([status, json.code]).toEqual([403, "FORBIDDEN"]);
  });

  test("asks about the collection, as lists do", async () => {
    const questions: AuthorizationQuestion[] = [];
    const as = await setUp({
      authorize(question) {
        questions.push(question);
        return true;
      },
    });
    questions.length = 0;
    await as("clerk", "/staff/export");
    expect(questions).toMatchObject([{ action: "list", collection: "staff" }]);
  });
});
