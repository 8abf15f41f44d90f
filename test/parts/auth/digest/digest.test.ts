import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RequestHeaders } from "../../../../src/ground/http/headers/headers.js";
import { ConfigurationError, ProblemError } from "../../../../src/ground/problem/index.js";
import { authenticate, unauthenticated } from "../../../../src/parts/auth/authenticate.js";
import { type DigestAlgorithm, type DigestOptions, digest, digestHa1 } from "../../../../src/parts/auth/index.js";
import type { AuthRequest, Verifier } from "../../../../src/parts/auth/verifier.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";
import { authRequest } from "../authRequest.js";
import { authorizationOf, digestAnswer, parameterOf } from "./digestClient.js";

const alice = { id: "alice" };
const passwords: Readonly<Record<string, string>> = { alice: "wonderland", "Jäsøn Doe": "Secret, or not?" };

const ha1: DigestOptions["ha1"] = (username, algorithm) => {
  const password = passwords[username];
  return password === undefined ? undefined : { ha1: digestHa1({ username, realm: "api", password }, algorithm), principal: alice };
};

interface SetUp {
  readonly verifier: Verifier;
  readonly clock: { now: () => number; ms: number };
}

function setUp(options: Partial<DigestOptions> = {}): SetUp {
  const clock = { ms: 1_700_000_000_000, now: () => clock.ms };
  return { verifier: digest({ ha1, clock, ...options }), clock };
}

function requestOf(authorization?: string, changes: Partial<AuthRequest> = {}): AuthRequest {
  return { ...authRequest(authorization === undefined ? {} : { Authorization: authorization }), ...changes };
}

const challengesOf = (verifier: Verifier, request = requestOf()) => [verifier.challenge(request) ?? []].flat();

/** The challenge for an algorithm. */
function challengeOf(verifier: Verifier, algorithm: DigestAlgorithm = "SHA-256"): string {
  return challengesOf(verifier).find((challenge) => parameterOf(challenge, "algorithm") === algorithm) ?? "";
}

/** `in`, or `stale` or `no` as the 401 says. */
async function outcome(verifier: Verifier, request: AuthRequest): Promise<string> {
  try {
    return (await authenticate([verifier], request)) === alice ? "in" : "another principal";
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== "UNAUTHENTICATED") throw error;
    const stale = [error.headers["www-authenticate"] ?? []].flat().map((challenge) => parameterOf(challenge, "stale"));
    return stale.includes("true") ? "stale" : "no";
  }
}

describe("the challenges of Digest", () => {
  test("offer SHA-256 first, then MD5, each with its own line", () => {
    const challenges = challengesOf(setUp().verifier);
    expect(challenges).toHaveLength(2);
    for (const [index, algorithm] of ["SHA-256", "MD5"].entries()) {
      expect(challenges[index]).toMatch(
        new RegExp(`^Digest realm="api", qop="auth", nonce="[\\w-]{42}", algorithm=${algorithm}, charset=UTF-8, userhash=false$`),
      );
    }
  });

  test("have a new nonce every time", () => {
    const { verifier } = setUp();
    expect(new Set(Array.from({ length: 50 }, () => parameterOf(challengeOf(verifier), "nonce"))).size).toBe(50);
  });

  test("offer only the algorithms that were chosen", () => {
    expect(challengesOf(setUp({ algorithms: ["MD5"] }).verifier)).toEqual([expect.stringContaining("algorithm=MD5")]);
  });

  test("are left out for scripts where another scheme is offered", () => {
    const { verifier } = setUp();
    const other: Verifier = { scheme: "Bearer", challenge: () => "Bearer", verify: () => null };
    const request = requestOf(undefined, { headers: new RequestHeaders(["Sec-Fetch-Mode", "cors"]) });
    expect(unauthenticated([verifier, other], request).headers["www-authenticate"]).toEqual(["Bearer"]);
  });
});

describe("a request with Digest", () => {
  test.each(["SHA-256", "MD5"] as const)("is let in with the right password, by %s", async (algorithm) => {
    const { verifier } = setUp();
    const parameters = digestAnswer({ challenge: challengeOf(verifier, algorithm) });
    expect(await outcome(verifier, requestOf(authorizationOf(parameters)))).toBe("in");
  });

  test("may come in any case, order and spacing", async () => {
    const { verifier } = setUp();
    const parameters = Object.entries(digestAnswer({ challenge: challengeOf(verifier) })).reverse();
    const text = parameters.map(([name, value]) => `${name.toUpperCase()} = ${value}`).join(" ,\t");
    expect(await outcome(verifier, requestOf(`DIGEST  ${text}, `))).toBe("in");
  });

  test("may have a name beyond ASCII, raw or encoded", async () => {
    const { verifier } = setUp();
    const sent = { challenge: challengeOf(verifier), username: "Jäsøn Doe", password: "Secret, or not?" };
    const { username, ...parameters } = digestAnswer(sent);
    const encoded = authorizationOf({ ...parameters, "username*": `UTF-8''${encodeURIComponent("Jäsøn Doe")}` });
    expect(await outcome(verifier, requestOf(encoded))).toBe("in");
    const raw = authorizationOf({ ...digestAnswer({ ...sent, nc: "00000002" }), username: Buffer.from(username ?? "").toString("latin1") });
    expect(await outcome(verifier, requestOf(raw))).toBe("in");
  });

  test.each([
    ["another password", { password: "Wonderland" }],
    ["an unknown name", { username: "mallory" }],
    ["another method", { method: "POST" }],
    ["another target", { uri: "/orders" }],
    ["another query", { uri: "/users?admin=true" }],
  ])("is refused with %s", async (_, sent) => {
    const { verifier } = setUp();
    const parameters = digestAnswer({ challenge: challengeOf(verifier), ...sent });
    expect(await outcome(verifier, requestOf(authorizationOf(parameters)))).toBe("no");
  });

  test("is refused with another realm, and with an algorithm that is not offered", async () => {
    const { verifier } = setUp({ algorithms: ["SHA-256"] });
    const challenge = challengeOf(verifier);
    for (const forged of [challenge.replace('realm="api"', 'realm="other"'), challenge.replace("SHA-256", "MD5")]) {
      expect(await outcome(verifier, requestOf(authorizationOf(digestAnswer({ challenge: forged }))))).toBe("no");
    }
  });

  const names = ["username", "realm", "nonce", "uri", "cnonce", "response", "algorithm", "qop", "nc"];

  test.each(names)("is refused without %s, with two, and with another value", async (name) => {
    const { verifier } = setUp();
    const challenge = challengeOf(verifier);
    const { [name]: value = "", ...rest } = digestAnswer({ challenge });
    const others = [authorizationOf(rest), `${authorizationOf({ ...rest, [name]: value })}, ${name}=${value}`];
    const garbled = value.startsWith('"') ? [`"${value.slice(2)}`, `"x${value.slice(1)}`, `""`, value.slice(0, -1)] : [`${value}0`, "", `"${value}`];
    for (const authorization of [...others, ...garbled.map((wrong) => authorizationOf({ ...rest, [name]: wrong }))]) {
      expect([authorization, await outcome(verifier, requestOf(authorization))]).toEqual([authorization, "no"]);
    }
    expect(await outcome(verifier, requestOf(authorizationOf({ ...rest, [name]: value })))).toBe("in");
  });

  test("asks for the user in the same way, whether the name is known or not", async () => {
    const asked: string[] = [];
    const spying: DigestOptions["ha1"] = (username, algorithm) => {
      asked.push(username);
      return ha1(username, algorithm);
    };
    const { verifier } = setUp({ ha1: spying });
    for (const username of ["alice", "mallory"]) {
      await outcome(verifier, requestOf(authorizationOf(digestAnswer({ challenge: challengeOf(verifier), username, password: "wrong" }))));
    }
    expect(asked).toEqual(["alice", "mallory"]);
  });

  test("passes on a fault of the look-up, and a hash of another algorithm is one", async () => {
    const broken = setUp({ ha1: () => Promise.reject(new Error("no connection")) }).verifier;
    await expect(outcome(broken, requestOf(authorizationOf(digestAnswer({ challenge: challengeOf(broken) }))))).rejects.toThrow("no connection");
    const wrong = setUp({ ha1: () => ({ ha1: "0".repeat(32), principal: alice }) }).verifier;
    const sent = requestOf(authorizationOf(digestAnswer({ challenge: challengeOf(wrong) })));
    await expect(outcome(wrong, sent)).rejects.toThrow("must return the SHA-256 hash");
  });

  test.each([
    ["/v1/users?a=%5B&b=[x]", "/v1/users?a=%5B&b=[x]", "/users"],
    ["http://api.example/v1/users?a=1", "/v1/users?a=1", "/users"],
    ["/v1/users?", "/v1/users", "/users"],
    ["/v1", "/v1/", "/"],
    ["/v1?a=1", "/v1/?a=1", "/"],
    // Hosts that use `Request` encode these characters.
    ["/v1/users?name='a'", "/v1/users?name=%27a%27", "/users"],
  ])("may name its target as %s where the host has %s", async (uri, target, path) => {
    const { verifier } = setUp();
    const authorization = authorizationOf(digestAnswer({ challenge: challengeOf(verifier), uri }));
    expect(await outcome(verifier, requestOf(authorization, { target, path }))).toBe("in");
  });

  test.each([
    ["/users", "/v1/users", "/users"],
    ["/v1/users/", "/v1/users", "/users"],
    ["/v1/users", "/v1/users/", "/users/"],
    ["/v1/users?a=2", "/v1/users?a=1", "/users"],
    ["/v1/users#a", "/v1/orders", "/orders"],
    ["//v1/users", "/v1/users", "/users"],
    ["*", "/v1/users", "/users"],
    ["http://[", "/v1/users", "/users"],
  ])("may not name its target as %s where it is %s", async (uri, target, path) => {
    const { verifier } = setUp();
    const authorization = authorizationOf(digestAnswer({ challenge: challengeOf(verifier), uri }));
    expect(await outcome(verifier, requestOf(authorization, { target, path }))).toBe("no");
  });
});

describe("a nonce", () => {
  const counted = (nc: number) => nc.toString(16).padStart(8, "0");

  /** Sends counts of one nonce. */
  function counting(verifier: Verifier, challenge = challengeOf(verifier)) {
    return async (...counts: readonly number[]) => {
      const outcomes: string[] = [];
      for (const nc of counts) {
        outcomes.push(await outcome(verifier, requestOf(authorizationOf(digestAnswer({ challenge, nc: counted(nc) })))));
      }
      return outcomes;
    };
  }

  test("is good for many counts, each once", async () => {
    const send = counting(setUp().verifier);
    expect(await send(1, 2, 3, 2, 3, 1, 4)).toEqual(["in", "in", "in", "stale", "stale", "stale", "in"]);
  });

  test("takes counts in any order, within a window of 128", async () => {
    const send = counting(setUp().verifier);
    expect(await send(5, 3, 1, 5, 3)).toEqual(["in", "in", "in", "stale", "stale"]);
    expect(await send(132, 6, 5, 4, 131, 132)).toEqual(["in", "in", "stale", "stale", "in", "stale"]);
    expect(await send(0xffffffff, 0xffffffff, 133, 0xffffff80, 0xffffff7f)).toEqual(["in", "stale", "stale", "in", "stale"]);
  });

  test("takes exactly the counts that a list of all used ones would", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 60 }), async (counts) => {
        const used = new Set<number>();
        const expected = counts.map((count) => {
          const isGood = !used.has(count) && Math.max(0, ...used) - count < 128;
          if (isGood) used.add(count);
          return isGood ? "in" : "stale";
        });
        expect(await counting(setUp().verifier)(...counts)).toEqual(expected);
      }),
    );
  });

  test("is stale after its time, and the new one is good", async () => {
    const { verifier, clock } = setUp();
    const [used, unused] = [counting(verifier), counting(verifier)];
    expect(await used(1)).toEqual(["in"]);
    clock.ms += 300_000;
    expect(await used(2)).toEqual(["in"]);
    clock.ms += 1;
    expect([await used(3), await unused(1)]).toEqual([["stale"], ["stale"]]);
    expect(await counting(verifier)(1)).toEqual(["in"]);
  });

  test("of a clock that is far ahead is stale", async () => {
    const { verifier, clock } = setUp();
    const send = counting(verifier);
    clock.ms -= 300_001;
    expect(await send(1)).toEqual(["stale"]);
  });

  test("that is old says nothing with a wrong password", async () => {
    const { verifier, clock } = setUp();
    const challenge = challengeOf(verifier);
    clock.ms += 300_001;
    expect(await outcome(verifier, requestOf(authorizationOf(digestAnswer({ challenge, password: "no" }))))).toBe("no");
  });

  test("of another process is stale, unless both have the same secret", async () => {
    const [one, other] = [setUp().verifier, setUp().verifier];
    expect(await counting(other, challengeOf(one))(1)).toEqual(["stale"]);
    const secret = "a secret of the service";
    const [first, second] = [setUp({ secret }).verifier, setUp({ secret }).verifier];
    expect(await counting(second, challengeOf(first))(1, 1)).toEqual(["in", "stale"]);
  });

  test("that a client made up is never good", async () => {
    const { verifier } = setUp();
    const challenge = challengeOf(verifier);
    const nonce = parameterOf(challenge, "nonce");
    const forged = [
      `${nonce}A`,
      nonce.slice(1),
      `B${nonce.slice(1)}`,
      `${nonce.slice(0, -1)}${nonce.endsWith("A") ? "Q" : "A"}`,
      "A".repeat(42),
      "x",
    ];
    for (const wrong of forged) expect(await counting(verifier, challenge.replace(nonce, wrong))(1)).toEqual(["stale"]);
  });

  test("is forgotten when more are in use than are remembered, and is stale then, never good again", async () => {
    const { verifier, clock } = setUp({ maxNonces: 3 });
    const old = counting(verifier);
    const unused = counting(verifier);
    expect(await old(1)).toEqual(["in"]);
    for (let index = 0; index < 3; index++) {
      clock.ms += 1_000;
      expect(await counting(verifier)(1)).toEqual(["in"]);
    }
    expect([await old(1, 2), await unused(1)]).toEqual([["stale", "stale"], ["stale"]]);
    expect(await counting(verifier)(1)).toEqual(["in"]);
  });

  test("that has expired makes room without making others stale", async () => {
    const { verifier, clock } = setUp({ maxNonces: 1 });
    expect(await counting(verifier)(1)).toEqual(["in"]);
    clock.ms += 299_000;
    const waiting = counting(verifier);
    clock.ms += 2_000;
    expect(await counting(verifier)(1)).toEqual(["in"]);
    expect(await waiting(1)).toEqual(["in"]);
  });

  test("that was used stays used when the clock jumps forward and back", async () => {
    const { verifier, clock } = setUp();
    const old = counting(verifier);
    expect(await old(1)).toEqual(["in"]);
    clock.ms += 3_600_000;
    expect(await counting(verifier)(1)).toEqual(["in"]);
    clock.ms -= 3_600_000;
    expect(await old(1)).toEqual(["stale"]);
    expect(await counting(verifier)(1)).toEqual(["in"]);
  });

  test("that is new is good when the clock was set back after nonces of then were forgotten", async () => {
    const { verifier, clock } = setUp({ maxNonces: 1 });
    clock.ms += 3_600_000;
    const ahead = counting(verifier);
    expect([await ahead(1), await counting(verifier)(1)]).toEqual([["in"], ["in"]]);
    clock.ms -= 3_600_000;
    for (let index = 0; index < 3; index++) {
      clock.ms += 1;
      expect(await counting(verifier)(1)).toEqual(["in"]);
    }
    clock.ms += 3_600_000 - 3;
    expect(await ahead(1)).toEqual(["stale"]);
    expect(await counting(verifier)(1)).toEqual(["in"]);
  });
});

describe("the options of digest", () => {
  test.each<[object, string]>([
    [{}, `"ha1" must be a function`],
    [{ ha1, algorithm: ["MD5"] }, 'did you mean "algorithms"'],
    [{ ha1, algorithms: [] }, `an array with "SHA-256", "MD5" or both`],
    [{ ha1, algorithms: ["SHA-1"] }, '"SHA-256" or "MD5"'],
    [{ ha1, secret: "short" }, "at least 16 bytes"],
    [{ ha1, realm: "a\nb" }, "visible ASCII"],
    [{ ha1, nonceSeconds: 0 }, "from 1 to 86400"],
    [{ ha1, maxNonces: 0 }, "from 1 to 1000000"],
  ])("%j are refused at start-up", (options, text) => {
    expect(() => digest(options as unknown as DigestOptions)).toThrow(ConfigurationError);
    expect(() => digest(options as unknown as DigestOptions)).toThrow(text);
  });
});

test("no Authorization header makes Digest throw anything but a 401", async () => {
  const { verifier } = setUp();
  const parameters = digestAnswer({ challenge: challengeOf(verifier), password: "wrong" });
  const names = fc.constantFrom(...Object.keys(parameters), "username*", "userhash", "x");
  const value = fc.oneof(fc.constantFrom(...Object.values(parameters), "UTF-8''%C3%A4", "true"), fc.string());
  const list = fc.array(fc.tuple(names, value)).map((pairs) => pairs.map(([name, given]) => `${name}=${given}`).join(","));
  await fc.assert(
    fc.asyncProperty(fc.oneof(list, fc.string()), async (text) => {
      expect(await outcome(verifier, requestOf(`Digest ${text}`))).toBe("no");
    }),
    { numRuns: propertyRuns(500) },
  );
});
