import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergePatch, removedPaths } from "../../../src/language/patch/mergePatch.js";

describe("a merge patch", () => {
  // RFC 7396, appendix A.
  test.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("makes of %j with %j %j", (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  test("does the example of RFC 7396 §3", () => {
    const target = {
      title: "Goodbye!",
      author: { givenName: "John", familyName: "Doe" },
      tags: ["example", "sample"],
      content: "This will be unchanged",
    };
    const patch = { title: "Hello!", phoneNumber: "+01-123-456-7890", author: { familyName: null }, tags: ["example"] };
    expect(mergePatch(target, patch)).toEqual({
      title: "Hello!",
      author: { givenName: "John" },
      tags: ["example"],
      content: "This will be unchanged",
      phoneNumber: "+01-123-456-7890",
    });
  });

  test("starts from nothing where there is no target", () => {
    expect(mergePatch(undefined, { a: { b: 1, c: null } })).toEqual({ a: { b: 1 } });
  });

  test("keeps nulls inside arrays", () => {
    expect(mergePatch({}, { a: [null, { b: null }] })).toEqual({ a: [null, { b: null }] });
  });

  test("leaves the prototype of its result and of all objects alone", () => {
    const result = mergePatch({ a: 1 }, JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')) as object;
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Object.hasOwn(result, "__proto__")).toBe(true);
    expect("polluted" in {}).toBe(false);
  });

  test("sees own members only: an inherited name is not there yet", () => {
    expect(mergePatch({}, { toString: { a: 1 } })).toEqual({ toString: { a: 1 } });
  });

  test("changes neither of its arguments", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) => {
        const [targetText, patchText] = [JSON.stringify(target), JSON.stringify(patch)];
        mergePatch(target, patch);
        expect([JSON.stringify(target), JSON.stringify(patch)]).toEqual([targetText, patchText]);
      }),
    );
  });

  test("changes nothing when it is applied twice", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) => {
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
      }),
    );
  });

  test("makes fresh objects along its path, so that the result may be settled without touching the target", () => {
    const target = { a: { b: 1, c: 2 } };
    const result = mergePatch(target, { a: { b: null } }) as { a: Record<string, unknown> };
    result.a["b"] = null;
    expect(target).toEqual({ a: { b: 1, c: 2 } });
  });
});

describe("the members that a merge patch removes", () => {
  test.each([
    [{ a: null }, [["a"]]],
    [{ a: 1 }, []],
    [{ a: { b: null, c: { d: null } }, e: null }, [["a", "b"], ["a", "c", "d"], ["e"]]],
    [{ a: [null, { b: null }] }, []],
    [null, []],
    ["text", []],
    [[null], []],
  ])("of %j are %j", (patch, paths) => {
    expect(removedPaths(patch)).toEqual(paths);
  });
});
