import { memoryStorage } from "restwright/memory";
import * as resources from "../../../examples/shop/resources.js";
import { clientOf, type Received } from "../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../tools/fullService.js";

/** A method and a target: `GET /users/1`. */
export type Send = (line: string, headers?: Readonly<Record<string, string>>, body?: unknown) => Promise<Received>;

/** The shop in one process, with a client that speaks v2 and one that names no version. */
export function startShop(options: Partial<FullServiceOptions> = {}): { readonly v1: Send; readonly v2: Send } {
  const service = fullService({ resources: Object.values(resources), storage: memoryStorage(), notFound: "problem", ...options });
  const client = clientOf(service);
  const v1: Send = (line, headers = {}, body = undefined) => {
    const [method = "GET", target = "/"] = line.split(" ");
    return client({ method, target, headers, body });
  };
  return { v1, v2: (line, headers = {}, body = undefined) => v1(line, { "x-api-version": "v2", ...headers }, body) };
}

/** A new user of v1, with an e-mail address of its own. */
export async function newUser({ v1 }: { readonly v1: Send }, name: string): Promise<number> {
  numbers += 1;
  const { json } = await v1("POST /users", {}, { name, email: `user${numbers}@example.com` });
  return json.id;
}

let numbers = 0;
