import { SignJWT } from "jose";
import { createService, defineResource } from "restwright";
import { digest, digestHa1 } from "restwright/auth";
import { bearerJwt } from "restwright/jwt";
import { memoryStorage } from "restwright/memory";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { authorizationOf, challengesOf, type DigestSent, digestAnswer } from "../../../parts/auth/digest/digestClient.js";
import { type Sent, send } from "../client.js";
import type { Host, RunningHost } from "../host.js";

const things = defineResource("things", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
const passwords: Readonly<Record<string, string>> = { alice: "wonderland", Jäsøn: "Secret, or not?" };
const key = "a secret of at least 32 bytes, see";

/** Digest signs the method and the target as the client sent them, and needs a line for each challenge: what a host changes, it would break. */
export function schemeChecks(host: Host): void {
  const service = createService({
    resources: [things],
    storage: memoryStorage(),
    logger: false,
    auth: [
      bearerJwt({
        key,
        issuer: "shop",
        audience: "api",
        requiredScopes: ["things"],
        otherwise: (token) => (token === "opaque" ? { id: "bob", scopes: ["things"] } : null),
      }),
      digest({
        ha1(username, algorithm) {
          const password = passwords[username];
          return password === undefined
            ? undefined
            : { ha1: digestHa1({ username, realm: "api", password }, algorithm), principal: { id: username } };
        },
      }),
    ],
  });
  let running: RunningHost;
  const at = (target: string, { headers, ...sent }: Sent = {}) =>
    send(running.port, `/v1${target}`, { ...sent, headers: { "Content-Type": "application/json", ...headers } });
  const withAuthorization = (authorization: string) => ({ headers: { Authorization: authorization } });

  beforeAll(async () => {
    running = await host.start(service.handle, { mount: "/v1" });
  });
  afterAll(async () => {
    await running.close();
    await service.close();
  });

  /** The authorization of the next request, for one of the two challenges. */
  async function answerTo(index: number, sent: Omit<DigestSent, "challenge">): Promise<string> {
    const { headers } = await at("/things");
    const challenge = challengesOf(headers["www-authenticate"] ?? "")[index] ?? "";
    return authorizationOf(digestAnswer({ challenge, ...sent, uri: `/v1${sent.uri ?? "/things"}` }));
  }

  it("offers JWTs, and Digest with SHA-256 and MD5", async () => {
    const { status, headers } = await at("/things");
    expect(status).toBe(401);
    expect(headers["www-authenticate"]).toMatch(/^Bearer .*, Digest .*algorithm=SHA-256.*, Digest .*algorithm=MD5/);
  });

  it.each([0, 1])("lets Digest in for every method and target, once a count (challenge %i)", async (index) => {
    const body = '{"name":"a"}';
    const post = await answerTo(index, { method: "POST" });
    const statuses = [
      await at("/things", { method: "POST", body, ...withAuthorization(post) }),
      await at("/things", { method: "POST", body, ...withAuthorization(post) }),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([201, 401]);
    expect(statuses[1]?.headers["www-authenticate"]).toContain("stale=true");
    for (const uri of ["/things/1", "/things?name[like]=a*&sort=-id", "/things?name='%C3%A4%20b'&fields=id,name"]) {
      expect([uri, (await at(uri, withAuthorization(await answerTo(index, { uri })))).status]).toEqual([uri, 200]);
    }
    expect(
      (await at("/things/1", { method: "HEAD", ...withAuthorization(await answerTo(index, { uri: "/things/1", method: "HEAD" })) })).status,
    ).toBe(200);
    expect((await at("/things/1", withAuthorization(await answerTo(index, { uri: "/things" })))).status).toBe(401);
    expect((await at("/things", withAuthorization(await answerTo(index, { method: "POST" })))).status).toBe(401);
  });

  it("reads a name in UTF-8", async () => {
    const raw = Buffer.from(await answerTo(0, { username: "Jäsøn", password: "Secret, or not?" })).toString("latin1");
    expect((await at("/things", withAuthorization(raw))).status).toBe(200);
  });

  it("lets JWTs and opaque tokens in, and says why a token is not enough", async () => {
    const tokenOf = (claims: object) =>
      new SignJWT({ iss: "shop", aud: "api", sub: "alice", scope: "things", exp: 4_000_000_000, ...claims })
        .setProtectedHeader({ alg: "HS256" })
        .sign(Buffer.from(key));
    const answers = [await tokenOf({}), "opaque", await tokenOf({ exp: 1 }), "unknown", await tokenOf({ scope: "others" })].map(async (token) => {
      const { status, headers } = await at("/things", withAuthorization(`Bearer ${token}`));
      return [status, headers["www-authenticate"]?.match(/error="(\w+)"/)?.[1]];
    });
    expect(await Promise.all(answers)).toEqual([
      [200, undefined],
      [200, undefined],
      [401, "invalid_token"],
      [401, "invalid_token"],
      [403, "insufficient_scope"],
    ]);
  });
}
