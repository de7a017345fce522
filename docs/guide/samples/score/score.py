# python3 score.py enquiry1
import sys

from shop import malipo

answer = malipo.generic_score(
    {
        "requestReference": sys.argv[1],  # your own: the same reference gets the same answer
        "reportReason": 2,
        "reportSector": 2,
        "nationalID": "900000001",
        "name1": "Amani",
        "name2": "Baraka",
        "name3": "Wanjiru",
    }
)
print(f"score {answer['score']['positiveScore']}, grade {answer['score']['grade']}")
