import { createService, defineResource, hasMany, type Service } from "restwright";
import { csv, formats, ndjson } from "restwright/formats";
import { memoryStorage } from "restwright/memory";
import { searches } from "restwright/searches";
import { xml } from "restwright/xml";
import { z } from "zod";

/** Fields of every kind that formats without types have to convert. */
export const users = defineResource("users", {
  schema: z.object({
    id: z.int(),
    name: z.string(),
    age: z.int().nullable(),
    rating: z.number().optional(),
    newsletter: z.boolean().default(false),
    tags: z.array(z.string()).default([]),
    address: z.object({ city: z.string(), zip: z.string().optional(), geo: z.object({ lat: z.number() }).optional() }).optional(),
    lines: z.array(z.object({ sku: z.string(), quantity: z.int() })).optional(),
    scores: z.record(z.string(), z.number()).optional(),
    born: z.date().optional(),
    either: z.union([z.number(), z.string(), z.array(z.string())]).optional(),
    any: z.unknown().optional(),
  }),
  generated: { id: "increment" },
  accepts: ["json", "form", "multipart", "xml"],
  relations: { orders: hasMany("orders", "userId") },
});
export const orders = defineResource("orders", { schema: z.object({ id: z.int(), userId: z.int() }), generated: { id: "increment" } });

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** What a body parser of the host has made of the body. */
  readonly parsed?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever comes
  readonly json: any;
}

export type Send = (target: string, sent?: Sent) => Promise<Answer>;

/** A service with all formats, and a function that sends requests to it. */
export function stage(): { readonly service: Service; readonly send: Send } {
  const service = createService({
    resources: [users, orders],
    storage: memoryStorage(),
    logger: false,
    use: [searches(), formats({ use: [csv(), ndjson(), xml()] })],
  });
  return { service, send: sender(service) };
}

export function sender(service: Service): Send {
  return async (target, { method = "GET", headers = {}, body, parsed } = {}) => {
    const [path = "", query = ""] = target.split("?", 2);
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const response = await service.handle({
      method,
      path,
      query,
      mount: "",
      headers: Object.entries(headers).flat(),
      body: parsed !== undefined ? { kind: "parsed", value: parsed } : bytes === undefined ? { kind: "none" } : { kind: "bytes", bytes },
      signal: new AbortController().signal,
      native: undefined,
    });
    if (response === undefined) throw new Error(`Nothing is at ${target}.`);
    const text = response.body === null ? "" : Buffer.from(response.body as string).toString();
    const json = String(response.headers["content-type"]).includes("json") && !text.includes("}\n") && text !== "" ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers as Record<string, string>, text, json };
  };
}

/** Creates a row from JSON. */
export async function create(send: Send, value: object): Promise<number> {
  const { json } = await send("/users", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });
  return json.id as number;
}
