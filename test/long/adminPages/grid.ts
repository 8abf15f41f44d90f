import { downloadOf, equal, picture, requestOf, rowsOf, type Stage, waitForCount } from "./stage.js";

/** The infinite row model of ag-grid. */
export async function checkGrid({ page, users, check }: Stage): Promise<void> {
  const names = page.locator('.ag-row [col-id="name"]');
  const cell = (text: string) => names.filter({ hasText: text });
  const first = page.locator('.ag-row[row-index="0"]');
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const filter = (column: string) => page.getByLabel(`${column} Filter Input`);
  async function rename(from: string, to: string): Promise<void> {
    await cell(from).dblclick();
    await page.keyboard.press("Control+A");
    await page.keyboard.type(to);
    await page.keyboard.press("Enter");
  }

  await check("list, block by block", async () => {
    await cell("User 01").waitFor();
    const [request] = await Promise.all([
      page.waitForRequest((each) => new URL(each.url()).searchParams.get("page") === "2"),
      page
        .locator('.ag-row[row-index="0"]')
        .hover()
        .then(() => page.mouse.wheel(0, 100_000)),
    ]);
    equal(new URL(request.url()).searchParams.get("perPage"), "100");
    await cell("User 125").waitFor();
    await page.mouse.wheel(0, -100_000);
    await cell("User 01").waitFor();
  });

  await check("sort", async () => {
    await page.locator(".ag-header-cell[col-id=name] .ag-header-cell-label").click();
    await first.getByText("User 01").waitFor();
    await page.locator(".ag-header-cell[col-id=name] .ag-header-cell-label").click();
    await first.getByText("User 99").waitFor();
  });

  await check("filter", async () => {
    await filter("Name").fill("user 2");
    await waitForCount(names, 10);
    await filter("Email").fill("user22");
    await waitForCount(names, 1);
    await filter("Email").fill("");
    await filter("Name").fill("");
    await cell("User 99").waitFor();
  });

  await check("edit of a cell, with the ETag", async () => {
    const request = await requestOf(page, "PATCH", () => rename("User 98", "User 98 renamed"));
    equal(/^"[^"]+"$/.test(request.headers()["if-match"] ?? ""), true);
    await request.response();
    equal((await users.named("User 98 renamed"))?.name, "User 98 renamed");
    const again = await requestOf(page, "PATCH", () => rename("User 98 renamed", "User 98 again"));
    equal((await again.response())?.status(), 200);
  });

  await check("a conflict is shown, and nothing is overwritten", async () => {
    await users.rename("User 97", "User 97 theirs");
    await rename("User 97", "Mine");
    await page
      .getByRole("status")
      .getByText(/changed/)
      .waitFor();
    await cell("User 97 theirs").waitFor();
    equal((await users.named("User 97 theirs"))?.name, "User 97 theirs");
  });

  await check("create, and the faults of a new row are shown", async () => {
    page.once("dialog", (dialog) => dialog.accept("nowhere"));
    await press("New");
    await page
      .getByRole("status")
      .getByText(/^VALIDATION_FAILED/)
      .waitFor();
    page.once("dialog", (dialog) => dialog.accept("zoe@example.com"));
    await press("New");
    await first.getByText("zoe", { exact: true }).waitFor();
    equal((await users.named("zoe"))?.email, "zoe@example.com");
  });

  await check("a file", async () => {
    await first.locator("input[type=checkbox]").check();
    await page.getByLabel("Avatar").setInputFiles(picture);
    for (let tries = 0; (await users.named("zoe"))?.avatar?.filename !== "me.png"; tries += 1) {
      if (tries === 50) throw new Error("The row has no picture.");
      await page.waitForTimeout(100);
    }
    await first.locator("input[type=checkbox]").uncheck();
  });

  await check("delete many, by one request", async () => {
    for (const name of ["User 96", "User 95"]) {
      const index = await page
        .locator(".ag-row", { has: page.locator('[col-id="name"]', { hasText: name }) })
        .first()
        .getAttribute("row-index");
      await page.locator(`.ag-row[row-index="${index}"] input[type=checkbox]`).check();
    }
    const request = await requestOf(page, "POST", () => press("Delete selected"));
    equal(new URL(request.url()).pathname, "/v1/batch");
    await cell("User 96").waitFor({ state: "detached" });
    equal([await users.named("User 96"), await users.count()], [undefined, 124]);
  });

  await check("export, with the filter", async () => {
    await filter("Name").fill("user 2");
    await waitForCount(names, 10);
    equal(rowsOf(await downloadOf(page, () => press("All as CSV"))).length, 10);
  });

  await check("a filter that a service cannot be asked is shown", async () => {
    await filter("Name").fill("*".repeat(300));
    await page
      .getByRole("status")
      .getByText(/QUERY_TOO_COMPLEX|BAD_REQUEST|INVALID/)
      .waitFor();
  });
}
