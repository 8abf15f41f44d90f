import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { basic } from "../../../src/parts/auth/index.js";
import { failure } from "../../../src/parts/auth/verifier.js";
import { authRequest } from "./authRequest.js";

const base64 = (text: string) => Buffer.from(text).toString("base64");

/** A verifier that lets everybody in under the name and password they gave. */
const echo = basic(({ username, password }) => ({ id: username, claims: { password } }));
const verify = (authorization: string) => echo.verify(authRequest({ Authorization: authorization }));

describe("basic credentials", () => {
  test.each([
    // The examples of RFC 7617 §2 and §2.1.
    ["Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Aladdin", "open sesame"],
    ["Basic dGVzdDoxMjPCow==", "test", "123£"],
    ["basic YTpi", "a", "b"],
    [`Basic ${base64("a:b:c")}`, "a", "b:c"],
    [`Basic ${base64(":")}`, "", ""],
    [`Basic ${base64("名:密")}`, "名", "密"],
    [`Basic ${base64("\uFEFFa:b")}`, "\uFEFFa", "b"],
  ])("%s are read", async (authorization, id, password) => {
    expect(await verify(authorization)).toEqual({ id, claims: { password } });
  });

  test.each([
    ["no credentials", "Basic"],
    ["empty credentials", "Basic "],
    ["no colon", `Basic ${base64("ab")}`],
    ["no padding", "Basic YTpiYw"],
    ["too much padding", "Basic YTpi=="],
    ["base64url", "Basic YTr_-w=="],
    ["bits behind the end", "Basic YTpiYx=="],
    ["white space", "Basic YT pi"],
    ["other characters", "Basic YTpi!"],
    ["bytes that are not UTF-8", `Basic ${Buffer.from([0x61, 0x3a, 0xe9]).toString("base64")}`],
    ["NUL", `Basic ${base64("a:b\0")}`],
    ["a line break", `Basic ${base64("a\n:b")}`],
    ["a C1 control", `Basic ${base64("a:\u0085")}`],
  ])("with %s are wrong", async (_fault, authorization) => {
    expect(await verify(authorization)).toBe(failure);
  });

  test("that nobody has are wrong", async () => {
    const nobody = basic(() => Promise.resolve(undefined));
    expect(await nobody.verify(authRequest({ Authorization: "Basic YTpi" }))).toBe(failure);
  });

  test("are not in other schemes", async () => {
    expect(await verify("Bearer YTpi")).toBeNull();
    expect(await verify("BasicYTpi")).toBeNull();
    expect(await echo.verify(authRequest())).toBeNull();
  });

  test("that a client encodes come back, and nothing makes the verifier throw", async () => {
    const texts = fc.string({ unit: "binary" }).filter((text) => !/\p{Cc}/u.test(text));
    await fc.assert(
      fc.asyncProperty(
        texts.filter((text) => !text.includes(":")),
        texts,
        async (username, password) => {
          expect(await verify(`Basic ${base64(`${username}:${password}`)}`)).toEqual({ id: username, claims: { password } });
        },
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.base64String()), async (rest) => {
        const verdict = await verify(`Basic ${rest}`.replaceAll(",", ""));
        expect(verdict === failure || typeof verdict === "object").toBe(true);
      }),
    );
  });
});

test("the challenge asks for UTF-8", () => {
  expect(echo.challenge(authRequest())).toBe('Basic realm="api", charset="UTF-8"');
  expect(basic(() => null, { realm: "shop" }).challenge(authRequest())).toBe('Basic realm="shop", charset="UTF-8"');
});
