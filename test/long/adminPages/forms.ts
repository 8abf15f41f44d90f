import { downloadOf, equal, picture, requestOf, rowsOf, type Stage, waitForCount, waitForPicture } from "./stage.js";

/** The pages of refine and TanStack Query, whose elements are those of their programs. */
export async function checkForms({ page, users, check, name: program }: Stage): Promise<void> {
  const rows = page.locator("tbody tr");
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const total = (text: string) => page.getByText(text, { exact: true }).waitFor();
  const inRow = (user: string, button: string) => rows.filter({ hasText: user }).getByRole("button", { name: button, exact: true }).click();
  const search = page.getByLabel("Search");
  const [first, last] = program === "refine" ? ["User 25", "User 05"] : ["User 01", "User 25"];
  async function find(name: string): Promise<void> {
    await search.fill(name);
    await waitForCount(rows, 1);
  }

  await check("list, in its order", async () => {
    await total("Page 1 of 3, 25 users");
    equal(await rows.count(), 10);
    await rows.first().getByText(first).waitFor();
  });

  await check("pages", async () => {
    await press("Next");
    await press("Next");
    await total("Page 3 of 3, 25 users");
    await rows
      .last()
      .getByText(program === "refine" ? "User 01" : last)
      .waitFor();
    await press("Back");
    await press("Back");
    await total("Page 1 of 3, 25 users");
  });

  if (program === "refine")
    await check("sort", async () => {
      await press("Name");
      await rows.first().getByText("User 01").waitFor();
      await press("Name");
      await rows.first().getByText("User 25").waitFor();
    });

  await check("filters", async () => {
    await search.fill("user 1");
    await total("Page 1 of 1, 10 users");
    if (program === "refine") {
      await page.getByLabel("Status").selectOption("inactive");
      await total("Page 1 of 1, 3 users");
      await page.getByLabel("Status").selectOption("");
      await total("Page 1 of 1, 10 users");
    }
    await search.fill("");
    await total("Page 1 of 3, 25 users");
  });

  await check("create, with the faults of its fields first", async () => {
    await press("New");
    await page.getByLabel("Name", { exact: true }).fill("Ada");
    await page.getByLabel("Email").fill("nowhere");
    await press("Save");
    await page
      .getByRole("alert")
      .getByText(/email: /)
      .waitFor();
    await page.getByLabel("Email").fill("ada@example.com");
    await press("Save");
    await total("Page 1 of 3, 26 users");
    equal((await users.named("Ada"))?.email, "ada@example.com");
  });

  await check("edit, with the ETag", async () => {
    await find("User 03");
    await inRow("User 03", "Edit");
    await page.getByLabel("Name", { exact: true }).fill("User 03 renamed");
    const request = await requestOf(page, "PATCH", () => press("Save"));
    equal(/^"[^"]+"$/.test(request.headers()["if-match"] ?? ""), true);
    if (program === "refine") equal(request.postDataJSON(), { name: "User 03 renamed" });
    await rows.filter({ hasText: "User 03 renamed" }).waitFor();
    equal((await users.named("User 03 renamed"))?.status, "inactive");
  });

  await check("a conflict is shown, and nothing is overwritten", async () => {
    await find("User 04");
    await inRow("User 04", "Edit");
    await page.getByLabel("Name", { exact: true }).fill("Mine");
    await users.rename("User 04", "User 04 theirs");
    await press("Save");
    await page
      .locator("[role=alert], [role=status]")
      .getByText(/not in the state that the request requires/)
      .waitFor();
    equal((await users.named("User 04 theirs"))?.name, "User 04 theirs");
  });

  await check("a file", async () => {
    await find("User 05");
    await inRow("User 05", "Edit");
    await page.getByLabel("Avatar").setInputFiles(picture);
    await press("Save");
    await page.locator("form").waitFor({ state: "detached" });
    equal((await users.named("User 05"))?.avatar?.filename, "me.png");
    await inRow("User 05", "Edit");
    await waitForPicture(page, "me.png");
  });

  await check("delete", async () => {
    await find("User 06");
    await inRow("User 06", "Delete");
    await waitForCount(rows, 0);
    equal(await users.named("User 06"), undefined);
  });

  await check("delete many, by one request", async () => {
    await search.fill("User 1");
    await total("Page 1 of 1, 10 users");
    for (const name of ["User 10", "User 11"]) await page.getByLabel(`Select ${name}`).check();
    const request = await requestOf(page, "POST", () => press("Delete selected"));
    equal(new URL(request.url()).pathname, "/v1/batch");
    await total("Page 1 of 1, 8 users");
    equal([await users.named("User 10"), await users.count()], [undefined, 23]);
  });

  await check("export, with the filter", async () => {
    equal(rowsOf(await downloadOf(page, () => press("All as CSV"))).length, 8);
  });
}
