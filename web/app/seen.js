/** Work that waits until its element comes into sight. */

/** Pictures are drawn when they come into sight. @type {WeakMap<Element, () => unknown>} */
const hidden = new WeakMap();
const sight = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      sight.unobserve(target);
      // Who leaves the page meanwhile ends it.
      void Promise.resolve(hidden.get(target)?.()).catch(() => {});
    }
  },
  { rootMargin: '40px' },
);

/** Does something when an element comes into sight. @param {Element} element @param {() => unknown} work */
export function whenSeen(element, work) {
  hidden.set(element, work);
  sight.observe(element);
}
