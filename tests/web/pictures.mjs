// Saves the README's pictures in a folder: a match, the same on a phone, the first page.

import { writeFile } from 'node:fs/promises';
import { accept, decide, meet, offer, open, person, player, read, url } from './driver.mjs';

const folder = process.argv[2];
if (!folder) throw new Error('which folder?');
const world = await open();

/** A page as WebP, which the browser itself makes. */
async function take({ page, context }, name) {
  const png = (await page.screenshot()).toString('base64');
  const blank = await context.newPage();
  const webp = await blank.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.9).split(',')[1];
  }, png);
  await blank.close();
  const bytes = Buffer.from(webp, 'base64');
  await writeFile(`${folder}/${name}.webp`, bytes);
  console.log(`${name}: ${bytes.length} bytes`);
}

const anna = await player(world, 'anna', { viewport: { width: 1280, height: 800 } });
const bert = await player(world, 'bert', {
  viewport: { width: 390, height: 780 },
  deviceScaleFactor: 2,
  colorScheme: 'dark',
});
const [first] = (await read('/v1/variants')).items;
await accept(bert, await offer(anna, first.id));
await meet([anna, bert]);
let made = 0;
for (let tries = 0; made < 24 && tries < 200; tries++)
  // Every third shot is random.
  for (const [one, other] of [
    [anna, bert],
    [bert, anna],
  ])
    if (await decide(one, made % 3 ? [other] : [])) made++;
for (const { page } of [anna, bert]) await page.evaluate(() => scrollTo(0, 0));
await take(anna, 'match');
await bert.page.locator('.sea-frame').first().scrollIntoViewIfNeeded();
await take(bert, 'phone');

const stranger = await person(world, 'stranger', { viewport: { width: 1280, height: 800 } });
await stranger.page.goto(url);
await stranger.page.locator('main[aria-busy=false] h1').waitFor();
await take(stranger, 'home');
await world.browser.close();
