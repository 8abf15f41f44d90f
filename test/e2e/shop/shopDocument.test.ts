// @long

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { OpenApiDocument } from "restwright/openapi";
import { expect, onTestFinished, test } from "vitest";
import { hosts, startShop } from "./shopProcess.js";

/** How curl proves who it is, by the name of the scheme in the document. */
const credentials: Readonly<Record<string, readonly string[]>> = {
  bearer: ["--oauth2-bearer", "alice"],
  basic: ["--basic", "--user", "alice:wonderland"],
  digest: ["--digest", "--user", "alice:wonderland"],
  apiKey: ["-H", "X-API-Key: key-alice"],
  apiKeyScheme: ["-H", "Authorization: ApiKey key-alice"],
  awsSigV4: ["--aws-sigv4", "aws:amz:local:shop", "--user", "AKIDALICE:secret-alice"],
};

interface Operation {
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, object>>;
}

async function startWithAuth(host: (typeof hosts)[number]) {
  const shop = await startShop(host, { DATA_DIR: ":memory:", SHOP_AUTH: "on" });
  onTestFinished(async () => void (await shop.stop("SIGTERM")));
  return shop;
}

async function statusOf(url: string, ...args: readonly string[]): Promise<number> {
  const { stdout } = await promisify(execFile)("curl", ["-sS", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "20", ...args, url]);
  return Number(stdout);
}

test("on every host the shop has the same document, byte for byte", async () => {
  const documents = await Promise.all(
    hosts.map(async (host) => {
      const shop = await startWithAuth(host);
      const answer = await fetch(`${shop.origin}/openapi.json`);
      expect(answer.status).toBe(200);
      return { etag: answer.headers.get("etag"), text: await answer.text() };
    }),
  );
  expect(documents[0]?.text.length).toBeGreaterThan(100_000);
  for (const document of documents) expect(document).toEqual(documents[0]);
});

test("each documented scheme of credentials is accepted, and without credentials 401 is documented and answered", async () => {
  const { origin } = await startWithAuth("fastify");
  const { components, paths } = (await (await fetch(`${origin}/openapi.json`)).json()) as OpenApiDocument;
  const schemes = Object.keys(components["securitySchemes"] ?? {});
  expect(schemes.toSorted()).toEqual([...Object.keys(credentials), "liveTicket"].toSorted());
  const list = paths["/orders"]?.["get"] as Operation | undefined;
  expect(list?.security.flatMap(Object.keys).toSorted()).toEqual(schemes.toSorted());
  expect(list?.responses).toHaveProperty("401");
  for (const [scheme, args] of Object.entries(credentials)) expect([scheme, await statusOf(`${origin}/orders`, ...args)]).toEqual([scheme, 200]);
  const made = await fetch(`${origin}/live/tickets`, { method: "POST", headers: { authorization: "Bearer alice" } });
  const { ticket } = (await made.json()) as { readonly ticket: string };
  const stream = await fetch(`${origin}/orders?ticket=${encodeURIComponent(ticket)}`, { headers: { accept: "text/event-stream" } });
  expect(stream.status).toBe(200);
  await stream.body?.cancel();
  expect(await statusOf(`${origin}/orders`)).toBe(401);
});
