import { readFileSync } from "node:fs";
import { SignJWT } from "jose";
import type { Principal, Service } from "restwright";
import { bearer, hashApiKey } from "restwright/auth";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { compileNetwork, type TransportRequest } from "restwright/webhooks";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../tools/eventually.js";
import { guideBlocks, guideCode } from "./guidePage.js";
import { authentication } from "./operation/authentication.js";
import { files } from "./operation/files.js";
import { hiddenFields } from "./operation/hiddenFields.js";
import { importsAndExports } from "./operation/importsAndExports.js";
import { receiver, sender } from "./operation/webhooksBothSides.js";

const auth = [bearer((token) => ({ id: token, claims: { role: token } }))];
const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

interface Answer {
  readonly status: number;
  readonly text: string;
  /** The members of a JSON body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** `201`, or with the code of a problem: `404 NOT_FOUND`. */
  readonly short: string;
}

/** Sends requests in process. */
function caller(service: Service) {
  onTestFinished(() => service.close());
  return async (who: string, method: string, path: string, body: string | FormData | null = null, type?: string): Promise<Answer> => {
    const headers = new Headers(who === "anonymous" ? {} : { authorization: `Bearer ${who}` });
    if (type !== undefined) headers.set("content-type", type);
    const answer = await service.fetch(new Request(`http://guide.test${path}`, { method, headers, body }));
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.includes("json") === true;
    const members = isJson ? (JSON.parse(text) as Readonly<Record<string, unknown>>) : {};
    const errors = members["errors"] as readonly { readonly code: string }[] | undefined;
    const code = answer.status < 400 ? "" : ` ${String(members["code"] === "VALIDATION_FAILED" ? errors?.[0]?.code : members["code"])}`;
    return { status: answer.status, text, body: members, short: `${answer.status}${code}` };
  };
}

const textOf = (page: string) => readFileSync(new URL(`../../docs/guides/${page}.md`, import.meta.url), "utf8");

/** The answer that a page gives for a request of somebody. */
function saidBy(page: string): (who: string, request: string) => string | undefined {
  const rows = textOf(page).split("\n");
  return (who, request) => {
    const beginning = `| ${who} | ${request} | `;
    return rows.find((row) => row.startsWith(beginning))?.slice(beginning.length, -2);
  };
}

describe.each([
  ["authentication", "./operation/authentication.ts"],
  ["files", "./operation/files.ts"],
  ["imports-and-exports", "./operation/importsAndExports.ts"],
  ["webhooks-both-sides", "./operation/webhooksBothSides.ts"],
  ["who-sees-what", "./operation/hiddenFields.ts"],
])("docs/guides/%s.md", (page, file) => {
  test("shows the code that is run here", () => {
    const blocks = guideBlocks(textOf(page));
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) expect(guideCode(file)).toContain(block);
  });
});

test("docs/guides/authentication.md says what each kind of credentials gets", async () => {
  const secret = "a secret of at least 32 bytes, for tests";
  const accounts: Readonly<Record<string, Principal>> = { [hashApiKey("partner-key")]: { id: "partner" } };
  const service = authentication(memoryStorage(), {
    secret,
    findKey: async (sha256) => accounts[sha256],
    checkPassword: async (username, password) => username === "script" && password === "correct",
  });
  onTestFinished(() => service.close());
  const said = new Map(
    textOf("authentication")
      .split("| request | answer |\n")[1]
      ?.split("\n\n")[0]
      ?.split("\n")
      .slice(1)
      .map((row) => row.slice(2, -2).split(" | "))
      .map(([request = "", answer = ""]) => [request, answer] as const),
  );
  const jwt = (claims: object, { endsIn = 60, audience = "orders", key = secret } = {}) =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: "HS256" })
      .setSubject("ann")
      .setIssuer("https://id.example.com/")
      .setAudience(audience)
      .setExpirationTime(Math.floor(Date.now() / 1000) + endsIn)
      .sign(Buffer.from(key));
  const writer = { authorization: `Bearer ${await jwt({ scope: "orders:write" })}` };
  const reader = { authorization: `Bearer ${await jwt({})}` };
  const partner = { "x-api-key": "partner-key" };
  const password = (word: string) => ({ authorization: `Basic ${Buffer.from(`script:${word}`).toString("base64")}` });
  const cases: readonly (readonly [request: string, headers: Readonly<Record<string, string>>])[] = [
    ["no credentials", {}],
    ["a JWT with the scope `orders:write`: `POST /orders`", writer],
    ["the same JWT: `GET /orders/1`", writer],
    ["a JWT without scopes: `GET /orders`", reader],
    ["a JWT without scopes: `POST /orders`", reader],
    ["a JWT that has ended", { authorization: `Bearer ${await jwt({}, { endsIn: -60 })}` }],
    ["a JWT for another audience", { authorization: `Bearer ${await jwt({}, { audience: "payments" })}` }],
    ["a JWT signed with another key", { authorization: `Bearer ${await jwt({}, { key: "another secret of at least 32 bytes" })}` }],
    ["the key of a partner: `GET /orders`", partner],
    ["the key of a partner: `DELETE /orders/1`", partner],
    ["a key that was withdrawn", { "x-api-key": "old-key" }],
    ["name and password: `POST /orders`", password("correct")],
    ["a wrong password", password("wrong")],
    ["a JWT and a key in one request", { ...writer, ...partner }],
  ];
  expect(cases.map(([request]) => request)).toEqual([...said.keys()]);
  for (const [request, headers] of cases) {
    const [, method = "GET", path = "/orders"] = /`([A-Z]+) (\/\S*)`$/.exec(request) ?? [];
    const body = method === "POST" ? JSON.stringify({ total: 5 }) : null;
    const type = body === null ? {} : { "content-type": "application/json" };
    const answer = await service.fetch(new Request(`http://guide.test${path}`, { method, headers: { ...headers, ...type }, body }));
    const text = await answer.text();
    const code = answer.status < 400 ? "" : ` ${JSON.parse(text).code}`;
    const member = said.get(request)?.includes("createdBy") ? `, createdBy ${JSON.stringify(JSON.parse(text).createdBy)}` : "";
    expect(`${answer.status}${code}${member}`, request).toBe(said.get(request));
  }
});

test("docs/guides/files.md says what each caller gets", async () => {
  const said = saidBy("files");
  const ask = caller(files(memoryStorage(), memoryBlobs(), auth));
  const made = await ask("ann", "POST", "/uploads", "hello", "text/plain");
  const { id, url, signedUrl } = made.body as Readonly<Record<string, string>>;
  expect(made.short).toBe(said("ann", "`POST /uploads` with a text"));
  const wrong = await ask("ann", "POST", "/uploads", "hello", "image/png");
  expect(wrong.short).toBe(said("ann", "`POST /uploads` with a text that is declared as a PNG"));
  expect((await ask("anonymous", "POST", "/uploads", "hello", "text/plain")).short).toBe(said("anonymous", "`POST /uploads` with a text"));
  expect((await ask("ann", "GET", url ?? "")).text).toBe("hello");
  expect((await ask("bob", "GET", url ?? "")).short).toBe(said("bob", "`GET {url}`"));
  expect((await ask("anonymous", "GET", signedUrl ?? "")).short).toBe(said("anonymous", "`GET {signedUrl}`"));
  const form = new FormData();
  form.append("avatar", new Blob([png], { type: "image/png" }), "me.png");
  const avatar = await ask("ann", "POST", "/avatars", form);
  expect(avatar.short).toBe(said("ann", "`POST /avatars` with a form and a PNG in `avatar`"));
  expect((await ask("anonymous", "GET", String(avatar.body["url"]))).short).toBe(said("anonymous", "`GET` of the avatar"));
  expect((await ask("bob", "DELETE", `/uploads/${id}`)).short).toBe(said("bob", "`DELETE /uploads/{id}`"));
  expect((await ask("ann", "DELETE", `/uploads/${id}`)).short).toBe(said("ann", "`DELETE /uploads/{id}`"));
  expect((await ask("ann", "GET", url ?? "")).short).toBe("404 NOT_FOUND");
});

test("docs/guides/imports-and-exports.md says what each caller gets", async () => {
  const said = saidBy("imports-and-exports");
  const ask = caller(importsAndExports(memoryStorage(), memoryBlobs(), auth));
  const sendFile = async (request: string, contents: string, rows: string) => {
    const [, path = ""] = request.split(" ");
    const answer = await ask("ann", "POST", path, `sku,title,price\n${rows}`, "text/csv");
    const counts = Object.entries((answer.body["result"] ?? {}) as Readonly<Record<string, number>>).filter(([, count]) => count > 0);
    const described = answer.status === 200 ? ["200", ...counts.map(([name, count]) => `${name} ${count}`)].join(", ") : answer.short;
    expect(described, request).toBe(said("ann", `\`${request}\` with ${contents}`));
    return answer;
  };
  await sendFile("POST /products/import?dryRun=true", "two rows", "a,Apple,1\nb,Bread,x\n");
  await sendFile("POST /products/import", "two rows", "a,Apple,1\nb,Bread,x\n");
  await sendFile("POST /products/import?mode=upsert&key=sku", "both corrected", "a,Apple,2\nb,Bread,3\n");
  await sendFile("POST /products/import?onError=stop", "a cake and an apple", "c,Cake,1\na,Apple,1\n");
  const exported = await ask("ann", "GET", "/products/export?fields=sku,price&sort=sku");
  const lines = exported.text.trim().split(/\r?\n/);
  expect(`200, ${lines.map((line) => `\`${line}\``).join(", ")}`).toBe(said("ann", "`GET /products/export?fields=sku,price&sort=sku`"));
  const job = await sendFile("POST /imports?collection=products", "a dill", "d,Dill,1\n");
  const path = `/imports/${String(job.body["id"])}`;
  await eventually(async () => {
    const { short, body } = await ask("ann", "GET", path);
    expect(`${short}, status "${String(body["status"])}"`).toBe(said("ann", "`GET /imports/{id}`, a moment later"));
  });
  expect((await ask("bob", "GET", path)).short).toBe(said("bob", "`GET /imports/{id}`"));
});

test("docs/guides/webhooks-both-sides.md: a receiver works once for each event, and never for a body that was changed", async () => {
  const sent: TransportRequest[] = [];
  let receive: ReturnType<typeof receiver> | undefined;
  const transport = {
    network: compileNetwork({}),
    maxAttemptMs: 1_000,
    async send(request: TransportRequest) {
      sent.push(request);
      return { status: await receive?.(request.headers, request.body), latencyMs: 1, bodyHead: new Uint8Array(), truncated: false };
    },
    close: async () => {},
  };
  const ask = caller(sender(memoryStorage(), auth, transport));
  const json = "application/json";
  const hook = await ask("ann", "POST", "/webhooks", JSON.stringify({ url: "https://hooks.example.com/orders", events: ["order.paid"] }), json);
  expect(hook.status).toBe(201);
  const seen = new Set<string>();
  const work = vi.fn(async () => {});
  const markSeen = async (id: string) => !seen.has(id) && seen.add(id).has(id);
  receive = receiver([String(hook.body["secret"])], markSeen, work);
  expect((await ask("ann", "POST", "/orders", JSON.stringify({ total: 5, status: "paid" }), json)).status).toBe(201);
  await eventually(() => expect(work.mock.calls).toEqual([[{ orderId: 1, amount: 5 }]]));
  const [delivery] = sent;
  expect(await receive(delivery?.headers ?? {}, delivery?.body ?? new Uint8Array())).toBe(204);
  expect(await receive(delivery?.headers ?? {}, Buffer.from(`${Buffer.from(delivery?.body ?? []).toString()} `))).toBe(401);
  expect(work).toHaveBeenCalledTimes(1);
  await eventually(async () => {
    const { body } = await ask("ann", "GET", `/webhooks/${String(hook.body["id"])}/deliveries`);
    expect(body["data"]).toEqual([expect.objectContaining({ status: "succeeded" })]);
  });
});

test("docs/guides/who-sees-what.md says what each caller gets", async () => {
  const said = saidBy("who-sees-what");
  const ask = caller(hiddenFields(memoryStorage(), auth));
  const check = async (who: string, request: string) => {
    const [method = "", path = "", body] = request.split(" ");
    const answer = await ask(who, method, path, body ?? null, body === undefined ? undefined : "application/json");
    const expected = said(who, `\`${request}\``) ?? "missing";
    const [, member = "", value] = /, (?:no )?(\w+)(?: (\d+))?$/.exec(expected) ?? [];
    const shown =
      member === "" ? "" : value === undefined ? `, ${member in answer.body ? "a" : "no"} ${member}` : `, ${member} ${String(answer.body[member])}`;
    expect(`${answer.short}${shown}`, request).toBe(expected);
  };
  await check("hr", 'POST /people {"name":"Ann","salary":5000,"pin":"1234"}');
  await check("ann", "GET /people/1");
  await check("ann", "GET /people?salary[gt]=1");
  await check("ann", "GET /people?fields=salary");
  await check("ann", 'PATCH /people/1 {"salary":9000}');
  await check("hr", "GET /people?fields=id,pin");
  await check("hr", "GET /people/1");
});
