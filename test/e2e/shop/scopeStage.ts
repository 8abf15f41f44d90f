import { SignJWT } from "jose";
import { memoryBlobs } from "restwright/memory";
import { onTestFinished } from "vitest";
import { authorizeProducts, createVerifiers } from "../../../examples/shop/credentials.js";
import { send } from "../../adapters/hosts/client.js";
import { eventually } from "../../tools/eventually.js";
import { type ShopHost, startShopHost } from "./shopHost.js";
import type { OpenStorage } from "./shopPlaces.js";
import type { Host } from "./shopProcess.js";

const secret = "a secret of at least 32 bytes, see";

/** Clerks of tenant a with JWTs: of the south, of no region, and with claims that are no texts; and someone with another role. */
const claimsOf: Readonly<Record<string, Record<string, unknown>>> = {
  sven: { role: "clerk", region: "south" },
  nils: { role: "clerk" },
  liz: { role: "clerk", region: ["north"] },
  olga: { role: "clerk", region: { ne: "" } },
  gus: { role: "guest", region: "north" },
  ruth: { role: "admin", region: "north" },
};

/** What a request was answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Empty if the answer is no JSON. */
  readonly json: Body;
}

/** Members of the bodies of several routes. */
export interface Body {
  readonly id: number;
  readonly code: string;
  readonly status: string;
  readonly data: readonly { readonly id: number; readonly name: string }[];
  readonly meta: { readonly total: number };
  readonly results: readonly { readonly status: number; readonly id?: number; readonly data?: Body; readonly error?: Body }[];
  readonly matched: number;
  readonly result: Readonly<Record<string, unknown>> & { readonly downloadUrl: string };
  readonly errors: readonly { readonly code: string; readonly pointer?: string }[];
  readonly total: number;
  readonly lines?: readonly object[];
  readonly cancelReason?: string;
}

/** Sends `line` ("GET /users") as a person. An object is sent as JSON. */
export type Ask = (who: string, line: string, body?: object | string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

/** The shop with SHOP_AUTH=on; it closes with the test. */
export async function openScopedShop(open: OpenStorage): Promise<Ask> {
  const shop = await startScopedShop("fastify", open);
  onTestFinished(() => shop.close());
  return shop.ask;
}

/** The shop with SHOP_AUTH=on behind a host. */
export async function startScopedShop(host: Host, open: OpenStorage): Promise<ShopHost & { readonly ask: Ask }> {
  const auth = [...createVerifiers({ jwtSecret: secret, secrets: [secret] })];
  const shop = await startShopHost(host, open, { auth, authorize: authorizeProducts, blobs: memoryBlobs() });
  return { ...shop, ask: askOf(shop) };
}

function askOf(shop: ShopHost): Ask {
  return async (who, line, body, headers = {}) => {
    const [method = "GET", target = "/"] = line.split(" ");
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const sent = {
      method,
      headers: { authorization: `Bearer ${await tokenOf(who)}`, ...(typeof body === "object" ? { "content-type": type } : {}), ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    };
    const answer = await send(shop.port, target, sent);
    const text = answer.body.toString();
    const isJson = /json/.test(answer.headers["content-type"] ?? "") && !/ndjson/.test(answer.headers["content-type"] ?? "");
    return { status: answer.status, headers: answer.headers, text, json: isJson && text !== "" ? JSON.parse(text) : {} };
  };
}

async function tokenOf(who: string): Promise<string> {
  const claims = claimsOf[who];
  if (claims === undefined) return who;
  const token = new SignJWT({ tenant: "a", ...claims }).setProtectedHeader({ alg: "HS256" }).setIssuer("shop").setSubject(who);
  return token.setExpirationTime("1h").sign(Buffer.from(secret));
}

/** Customers of tenant a: 1 and 3 of the north, 2 of the south, 4 of no region. Orders 1 to 4 are theirs. Tenant b has one of each, of the north too. */
export async function fillShop(ask: Ask): Promise<void> {
  for (const [name, region] of [["Ada", "north"], ["Ben", "south"], ["Cleo", "north"], ["Dan"]] as const) {
    const { id } = await created(ask, "alice", "/users", { name, email: `${name.toLowerCase()}@example.com`, region });
    await created(ask, "alice", "/orders", { customerId: id, total: 10 * id, currency: "EUR", note: `For ${name}` });
  }
  const other = await created(ask, "bob", "/users", { name: "Eve", email: "eve@example.com", region: "north" });
  await created(ask, "bob", "/orders", { customerId: other.id, total: 50, currency: "EUR", note: "For Eve" });
}

async function created(ask: Ask, who: string, path: string, body: object): Promise<Body> {
  const { status, text, json } = await ask(who, `POST ${path}`, body);
  if (status !== 201) throw new Error(text);
  return json;
}

/** Names or ids of a list, in the order of the answer. */
export async function idsOf(ask: Ask, who: string, target: string): Promise<readonly number[]> {
  const { status, text, json } = await ask(who, `GET ${target}`);
  if (status !== 200) throw new Error(text);
  return json.data.map(({ id }) => id);
}

/** The job at a location, once it has ended. */
export function endOfJob(ask: Ask, who: string, location: unknown): Promise<Answer> {
  return eventually(async () => {
    const answer = await ask(who, `GET ${String(location)}`);
    if (!["completed", "failed"].includes(answer.json.status)) throw new Error(answer.text);
    return answer;
  });
}

/** An answer without the id that was asked for, and without that of the request. */
export function anonymized({ text }: Answer, id: number): string {
  return text
    .replace(`\\"${id}\\"`, "")
    .replace(`/${id}`, "")
    .replaceAll(/"(requestId|instance)":"[^"]*"/g, "");
}
