import { describe, expect, test } from "vitest";
import { leftOf, nothing } from "../left.js";
import { uploadPlaces } from "../places.js";
import { formData, openForms } from "./formStage.js";

describe.each(uploadPlaces)("on %s", (_, openPlace) => {
  test("a form is kept as a whole, once for its key, or not at all", async ({ onTestFinished }) => {
    const place = await openPlace();
    onTestFinished(() => place.remove());
    const stage = await openForms({ ...place.stores(), form: { types: ["text/plain"] }, uploads: { quotaBytes: 12 } });
    await stage.service.start();
    const two = (second: string) => formData(["a", "1.txt", "one"], ["title", "Sea"], ["b", "2.txt", second]);
    const key = { "idempotency-key": "9b1c1c60-0f0c-4b7e-8b86-000000000009" };
    expect((await stage.post(two("\0"))).json.code).toBe("TYPE_NOT_ALLOWED");
    expect((await stage.post(two("much too long"))).json.code).toBe("QUOTA_EXCEEDED");
    expect(await leftOf(stage)).toEqual(nothing);
    const [first, again] = [await stage.post(two("two"), key), await stage.post(two("two"), key)];
    expect([first.status, again.json]).toEqual([201, first.json]);
    for (const { url, size } of first.json.files) expect((await stage.send("GET", url)).bytes).toHaveLength(size);
    expect(await leftOf(stage)).toEqual({ keys: [expect.any(String), expect.any(String)], records: [], use: { open: 0, bytes: 6 } });
  });
});
