import type { Locator, Page, Request } from "playwright-core";
import { createClient } from "restwright/client";
import type { ShopService } from "../../client/shopStage.js";

/** What the checks of a program work with. */
export interface Stage {
  readonly users: Users;
  readonly page: Page;
  readonly name: string;
  /** Runs a check, and notes where it fails. */
  check(what: string, run: () => Promise<void>): Promise<void>;
}

export type Users = ReturnType<typeof openUsers>;

/** The users of the shop, as somebody else sees and changes them meanwhile. */
export function openUsers(baseUrl: string) {
  const shop = createClient<ShopService>({ baseUrl, auth: () => ({ authorization: "Bearer alice" }) });
  return {
    /** `User 01`, `User 02` and so on, of whom every third is inactive. */
    async reset(count: number): Promise<void> {
      for await (const { id } of shop.users.walk()) await shop.users.remove(id);
      for (let number = 1; number <= count; number += 1) {
        const digits = String(number).padStart(2, "0");
        await shop.users.create({ name: `User ${digits}`, email: `user${digits}@example.com`, status: number % 3 === 0 ? "inactive" : "active" });
      }
    },
    async named(name: string) {
      const { data } = await shop.users.list({ where: { name }, fields: ["id", "name", "email", "status", "avatar"], include: ["avatar"] });
      return data[0];
    },
    async rename(from: string, to: string): Promise<void> {
      const {
        data: [user],
      } = await shop.users.list({ where: { name: from } });
      if (user === undefined) throw new Error(`There is no user ${from}.`);
      await shop.users.update(user.id, { name: to });
    },
    count: () => shop.users.count(),
  };
}

/** A picture of one pixel. */
export const picture = {
  name: "me.png",
  mimeType: "image/png",
  buffer: Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"),
};

/** @throws {Error} for values that are not the same */
export function equal(seen: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(seen), JSON.stringify(expected)];
  if (one !== other) throw new Error(`saw ${one}, expected ${other}`);
}

/** Waits until a locator finds so many. */
export async function waitForCount(locator: Locator, wanted: number): Promise<void> {
  for (let tries = 0; (await locator.count()) !== wanted; tries += 1) {
    if (tries === 100) throw new Error(`${await locator.count()} elements, expected ${wanted}`);
    await locator.page().waitForTimeout(100);
  }
}

/** The text of the file that an action saves. */
export async function downloadOf(page: Page, act: () => Promise<unknown>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), act()]);
  const parts: Buffer[] = [];
  for await (const part of await download.createReadStream()) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts).toString("utf8");
}

/** The request of a method that an action sends. */
export async function requestOf(page: Page, method: string, act: () => Promise<unknown>): Promise<Request> {
  const [request] = await Promise.all([page.waitForRequest((each) => each.method() === method), act()]);
  return request;
}

/** Waits until a picture has its pixels. */
export async function waitForPicture(page: Page, name: string): Promise<void> {
  const image = page.locator(`img[alt="${name}"]`);
  await image.waitFor();
  for (let tries = 0; (await image.evaluate((each: { naturalWidth: number }) => each.naturalWidth)) === 0; tries += 1) {
    if (tries === 50) throw new Error("The picture is not loaded.");
    await page.waitForTimeout(100);
  }
}

/** The lines of a file with a header. */
export const rowsOf = (csv: string) => csv.trim().split("\n").slice(1);
