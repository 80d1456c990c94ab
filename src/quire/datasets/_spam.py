"""Messages that somebody wanted, and messages that nobody did."""

from __future__ import annotations

from quire.datasets._labelled_texts import LabelledTexts, labelled

__all__ = ["load_spam"]

_MESSAGES = {
    "ham": """
        Are we still meeting for lunch on Thursday? I can book a table for one o'clock.
        The minutes of yesterday's meeting are attached. Please send corrections by Friday.
        Thanks for the photos from the weekend, the children look so happy in them.
        I have moved your appointment at the dentist to Tuesday at half past nine.
        Could you have a look at the second chapter before I send it to the printer?
        The train is late, so I will be home about twenty minutes after seven.
        Mum asks whether you can bring the big pot when you come on Sunday.
        Your parcel from the bookshop was left with the neighbours at number twelve.
        The seminar on statistics is in room four this week, not in the lecture hall.
        Happy birthday! I hope you have a lovely day and find time for cake.
        I read your report last night. The second figure needs a legend, otherwise it is fine.
        Please remember to water the tomatoes while we are away next week.
        The library says the book you asked for is ready to be picked up.
        Shall we take the bicycles on Saturday if the weather is good?
        I forgot my keys again. Are you at the office this afternoon?
        The plumber comes on Wednesday morning, somebody has to open the door.
        Attached is the timetable for the autumn term. Let me know if two courses collide.
        We have run out of coffee in the kitchen, whose turn is it to buy some?
        My brother and his wife are visiting in March, would you like to join us for dinner?
        The results of the exam will be on the notice board on Monday.
        Could you send me the recipe for the soup we had at your place?
        The bank holiday is on Monday, so the team meets on Tuesday instead.
        I checked the numbers in your table again and row seven was wrong. I have mended it.
        The car is at the garage until Thursday, can you give me a lift tomorrow?
        Choir practice starts at six today because the church is used in the evening.
        Your subscription to the journal ends in June. Tell me if the library should renew it.
        Grandfather is out of hospital and feels much better. He sends his love.
        The draft of the contract has arrived, our lawyer will read it this week.
        Did you find a flat yet? A friend of mine is moving out in July.
        Please bring a warm coat and good shoes, we will be outside most of the day.
        I am sorry that I missed your call. I was in a meeting until five.
        The cat is fine, she ate everything and slept on your chair all day.
        Can we talk about the budget for the new project before the weekend?
        The children have no school on Friday, so I will work from home.
        The museum is free on the first Sunday of the month, shall we go?
        I have put the slides of my talk into the shared folder.
        The order of the speakers has changed, you are third now.
        We enjoyed the concert very much. Thank you for the tickets.
        The heating in the office is broken, so dress warmly tomorrow.
        See you at the station at eight, platform two.
    """,
    "spam": """
        CONGRATULATIONS! You have won a free holiday. Click here now to claim your prize!
        Earn 5000 a week from home with no experience. Limited offer, order today!
        Lose ten pounds in ten days with this incredible pill, money back guaranteed.
        Your account will be closed. Click the link below and confirm your password at once.
        Stop paying rent! Buy real estate with no money down, the secret is in our free ebook.
        Cheap watches, best prices, 80 % off everything. Buy now, offer ends tonight!!!
        Dear friend, I am a prince and need your help to transfer ten million dollars.
        You have been selected for a free credit card with no limit. Apply now!
        Hot singles in your town are waiting for your message. Click here, it is free.
        Make money fast! Our system wins at the casino every time, guaranteed.
        Your computer is infected. Download this free tool now to remove the virus.
        Get a university degree in two weeks without exams. Call now, limited places.
        Last chance: claim your free gift card worth 500 dollars before midnight!
        Invest one hundred today and earn one thousand tomorrow, no risk at all.
        Cheap pills without prescription, fast delivery, discreet. Order online now!
        You are our lucky winner number 100000! Send your bank details to get the prize.
        Work from home and become rich like me. Watch the free video before it is gone.
        Urgent: your payment failed. Click here to update your credit card now.
        Increase your energy by 300 % with our miracle drink. Free trial, order today!
        The bank of your choice forgives all debts. Click to apply, no questions asked.
        Save 90 % on software, original licences, instant download. Buy now!
        Amazing new cream makes you look ten years younger, guaranteed or money back.
        Unlimited internet for free! Click the link and enter your password to start.
        You inherited 4.5 million dollars from a distant relative. Reply urgently.
        This stock will explode on Monday. Buy now and earn a fortune, no risk!
        FREE phone for the first 100 who click here. Hurry, only a few are left!
        Need cash now? Instant loan of up to 50000 dollars, no credit check.
        Our secret method wins the lottery. Order the ebook for only 19 dollars today.
        Your mailbox is full. Confirm your account here or lose all your messages!
        Meet rich people in your area tonight. Join now, free for a limited time!
        Earn money with surveys, 200 dollars per day guaranteed. Click to start.
        Final notice: you have an unclaimed prize. Call this number now to claim it.
        Free trial of the best diet in the world. Lose weight while you sleep!
        Buy followers, cheap and fast, thousands within hours. Special offer today.
        No money? No problem! Get a new car today with zero down, click here.
        Win a brand new phone, just answer one question and enter your bank details.
        Exclusive offer only for you: luxury watches at wholesale prices, order now.
        Become your own boss! Thousands earn a fortune with our free system.
        Your parcel is waiting. Pay a small fee by credit card here to get it now.
        Act now! This incredible offer is free today and will never come again!!!
    """,
}


def load_spam() -> LabelledTexts:
    """Return eighty short messages, forty of them spam, written for this purpose.

    The classes take turns, so that every part of the data has as many of both. The words of spam
    (free, click, now, guaranteed) are what a spam filter learns; a few wanted messages have some of
    them as well.

    Returns
    -------
    LabelledTexts
        The messages, and "ham" or "spam".

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from quire.datasets import load_spam
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> from quire.naive_bayes import MultinomialNB
    >>> data = load_spam()
    >>> model = make_pipeline(CountVectorizer(), MultinomialNB())
    >>> model = model.fit(data.texts[:60], data.labels[:60])
    >>> model.predict(["Click here now, it is free!", "See you at the meeting on Friday"]).tolist()
    ['spam', 'ham']
    """
    return labelled(_MESSAGES)
