/** Work deferred until its element becomes visible. */

/** @type {WeakMap<Element, () => unknown>} */
const hidden = new WeakMap();
const sight = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      sight.unobserve(target);
      // Leaving the page aborts the work.
      void Promise.resolve(hidden.get(target)?.()).catch(() => {});
    }
  },
  { rootMargin: '40px' },
);

/** Calls back once an element becomes visible. @param {Element} element @param {() => unknown} work */
export function whenSeen(element, work) {
  hidden.set(element, work);
  sight.observe(element);
}
